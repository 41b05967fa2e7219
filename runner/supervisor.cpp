#include "supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t errors_kept = 20;
constexpr std::int64_t memory_interval = 50'000'000;  // nanoseconds
constexpr double grace = 3;  // seconds for cases in hand after a request to stop

/// "suspect" of a worker's message.
std::optional<Suspect> suspect_from(const nlohmann::json& message) {
  const auto at = message.find("suspect");
  if (at == message.end()) return std::nullopt;
  return Suspect{at->at("turn"),
                 verdict_from(at->at("verdict")),
                 at->at("bucket"),
                 at->at("path").get<std::string>(),
                 {}};
}

}  // namespace

Supervisor::Supervisor(const CampaignOptions& options, const Plan& plan, const Climbs& climbs,
                       Environment environment)
    : options_(options),
      plan_(plan),
      climbs_(climbs),
      environment_(std::move(environment)),
      environment_line_(describe(environment_)),
      state_(options.jobs, plan.pairs.size()),
      progress_(options.progress, options.report),
      book_(options.jobs, [this](const std::string& line) { progress_.say(line); }),
      over_time_(options.out / "stats.jsonl", options.statistics_interval),
      workers_(options.jobs) {
  if (options.seconds > 0)
    deadline_ = began_ + std::chrono::duration_cast<process::Clock::duration>(
                             std::chrono::duration<double>(options.seconds));
}

void Supervisor::run() {
  note_statistics();  // from which the next line counts, however soon all is over
  looked_ = now_ns();
  for (std::size_t w = 0; w < workers_.size(); ++w) start(w, w, std::nullopt);
  while (any_running()) {
    wait_for_news();
    for (std::size_t w = 0; w < workers_.size(); ++w) reap(w);
    look_for_hangs();
    look_for_reasons_to_stop();
    draw_progress();
    save_interim();
    if (over_time_.is_due(process::seconds_since(began_))) note_statistics();
  }
  note_statistics();
  progress_.clear();
}

bool Supervisor::any_running() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Process& p) { return p.running; });
}

void Supervisor::start(std::size_t w, std::uint64_t first, std::optional<Suspect> suspect) {
  Process& p = workers_[w];
  state_.slot(w).phase = Phase::idle;
  const Worker::Setup setup{options_, plan_,     climbs_,           state_,
                            w,        deadline_, environment_line_, book_.work_of(w),
                            suspect,  first};
  p.inbox.clear();
  p.suspect.reset();
  p.silent = false;
  p.killed.reset();
  p.child =
      process::fork_child([&](int fd) { return Worker(setup, fd).run(); }, options_.memory_limit);
  fcntl(p.child.read_fd, F_SETFL, O_NONBLOCK);
  p.running = true;
}

void Supervisor::wait_for_news() {
  std::vector<pollfd> waiting;
  int timeout = 100;
  for (const Process& p : workers_) {
    if (p.running && !p.silent) waiting.push_back({p.child.read_fd, POLLIN, 0});
    if (p.running && p.silent) timeout = 1;
  }
  poll(waiting.data(), waiting.size(), timeout);
  for (std::size_t w = 0; w < workers_.size(); ++w) read(w);
}

void Supervisor::read(std::size_t w) {
  Process& p = workers_[w];
  if (!p.running || p.silent) return;
  std::size_t before = 0;
  do {
    before = p.inbox.size();
    if (!process::read_some(p.child.read_fd, p.inbox)) p.silent = true;
  } while (p.inbox.size() > before);
  std::size_t from = 0;
  for (std::size_t end; (end = p.inbox.find('\n', from)) != std::string::npos; from = end + 1)
    take(w, p.inbox.substr(from, end - from));
  p.inbox.erase(0, from);
}

void Supervisor::take(std::size_t w, const std::string& line) {
  const nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
  if (!message.is_object() || !message.contains("m")) return;  // a line cut by a kill
  const std::string kind = message.at("m");
  if (kind == "error") {
    add_error(message.at("text"));
  } else if (kind == "reasons") {
    for (const auto& [reason, n] : message.at("vacuous").items())
      vacuous_[reason] += n.get<std::uint64_t>();
    for (const auto& [reason, n] : message.at("skip").items())
      skip_[reason] += n.get<std::uint64_t>();
  } else if (kind == "again") {
    workers_[w].suspect = suspect_from(message);
  } else {
    book_.take(w, message);
  }
}

void Supervisor::reap(std::size_t w) {
  Process& p = workers_[w];
  if (!p.running || !process::has_ended(p.child)) return;
  read(w);
  process::Ending ending = process::ending_of(p.child);
  if (p.killed) ending.how = *p.killed;
  p.running = false;
  ended(w, ending);
}

/// Seconds that a case of the pair may take. What hangs once hangs often: each time it is given
/// half as long, so that a night is not spent waiting.
double Supervisor::patience(std::size_t pair) const {
  const auto found = hangs_.find(pair);
  if (found == hangs_.end()) return options_.case_timeout;
  const double least = std::min(1.0, options_.case_timeout);
  return std::max(least, std::ldexp(options_.case_timeout, -static_cast<int>(found->second)));
}

bool Supervisor::takes_too_long(Process& p, const Slot& slot, std::int64_t now) const {
  const std::int64_t started = slot.started;
  if (p.began != started) {
    p.began = started;
    p.cpu_then = process::cpu_seconds(p.child.pid);
  }
  const double waited = static_cast<double>(now - std::max(started, resumed_)) * 1e-9;
  const double most = patience(plan_.pair_index(slot.index));
  return waited >= most &&
         !process::is_kept_waiting(p.child.pid, process::cpu_seconds(p.child.pid) - p.cpu_then,
                                   waited, most);
}

void Supervisor::look_for_hangs() {
  const std::int64_t now = now_ns();
  // After a Ctrl-Z of the whole group no worker is to blame.
  if (now - looked_ > 1'000'000'000) resumed_ = now;
  looked_ = now;
  const bool look_at_memory = now - weighed_ > memory_interval;
  if (look_at_memory) weighed_ = now;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Process& p = workers_[w];
    const Slot& slot = state_.slot(w);
    const Phase phase = slot.phase;
    if (!p.running || p.killed || (phase != Phase::evaluate && phase != Phase::generate)) continue;
    if (takes_too_long(p, slot, now))
      p.killed = process::Ending::How::timed_out;
    else if (look_at_memory && process::has_grown(p.child))
      p.killed = process::Ending::How::grown;
    if (p.killed) kill(p.child.pid, SIGKILL);
  }
}

void Supervisor::look_for_reasons_to_stop() {
  const double now = process::seconds_since(began_);
  if (signals_.requests() > 0 && asked_to_stop_ == 0) {
    asked_to_stop_ = now;
    state_.stop() = true;
    progress_.say(fmt::format(
        "stopping: cases in hand have {:g} s to end; once more to stop at once", grace));
  }
  const bool late = asked_to_stop_ != 0 && now - asked_to_stop_ > grace;
  if (abandoned_ || (!late && signals_.requests() < 2)) return;
  abandoned_ = true;
  for (const Process& p : workers_)
    if (p.running) kill(p.child.pid, SIGKILL);
}

void Supervisor::add_error(const std::string& text) {
  if (errors_.size() >= errors_kept) return;
  if (std::find(errors_.begin(), errors_.end(), text) != errors_.end()) return;
  errors_.push_back(text);
  progress_.say("error: " + text);
}

}  // namespace ulpfuzz
