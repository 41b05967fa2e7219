#include "worker.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include "memory.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

constexpr std::uint64_t cases_per_context = 1024;
constexpr std::uint64_t cases_per_weighing = 64;

constexpr std::int64_t report_interval = 500'000'000;  // ns
constexpr std::size_t distinct_reasons = 100;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// Reasons name rows and values; with numbers folded their number is bounded.
std::string fold_numbers(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      folded += c;
    else if (folded.empty() || folded.back() != '#')
      folded += '#';
  }
  return folded;
}

}  // namespace

Worker::Worker(Setup setup, int fd)
    : s_(std::move(setup)),
      fd_(fd),
      slot_(s_.state.slot(s_.number)),
      files_(s_.options, s_.environment) {
  if (s_.climbs.file(s_.number) >= 0)
    climber_.emplace(s_.options, s_.plan, s_.state, s_.climbs, s_.number);
}

bool Worker::over(std::uint64_t turn) const {
  if (s_.state.stop().load(std::memory_order_relaxed)) return true;
  if (s_.options.cases != 0 && turn >= s_.options.cases) return true;
  return process::Clock::now() >= s_.deadline;
}

int Worker::run() {
  const double wall_before = slot_.wall;
  loop_began_ = reasons_sent_ = now_ns();
  if (s_.suspect) look_into_suspect();
  for (std::uint64_t i = s_.first; !ended_ && !over(i); i += s_.options.jobs) {
    turn(i);
    if (!ended_ && slot_.index == i && judged_ % cases_per_weighing == 0 && has_leaked())
      hand_over(std::nullopt);
    if (climber_ && climber_->is_due(i)) write_corpus();
    slot_.wall = wall_before + seconds(now_ns() - loop_began_);
  }
  if (ended_) return 0;
  write_corpus();
  flush_reasons();
  slot_.phase = Phase::done;
  return 0;
}

void Worker::turn(std::uint64_t i) {
  const Pair& pair = s_.plan.pair(i);
  if (s_.state.stopped(s_.plan.pair_index(i)).load(std::memory_order_relaxed)) return;
  const std::int64_t began = now_ns();
  // Each buffer keeps the size of the largest case that it met: together they would grow all night.
  if (++judged_ % cases_per_context == 0) {
    context_.emplace();
    malloc_trim(0);
  }
  slot_.index.store(i, std::memory_order_relaxed);
  slot_.started.store(began, std::memory_order_relaxed);
  slot_.phase.store(Phase::generate, std::memory_order_release);
  Case c;
  try {
    c = case_of(i);
    if (climber_ && climber_->climbed()) ++slot_.mutations;
  } catch (const std::exception& error) {
    send_error(fmt::format("case {} cannot be generated: {}", i, error.what()));
    slot_.phase.store(Phase::idle, std::memory_order_release);
    return;
  }
  const std::int64_t generated = now_ns();
  slot_.phase.store(Phase::evaluate, std::memory_order_release);
  const double evaluate = context_->caller.seconds();
  const double bound = context_->bound_seconds;
  const Verdict verdict = judge(*pair.property, c, *pair.subject, check_of(i), *context_);
  slot_.phase.store(Phase::idle, std::memory_order_release);
  slot_.generate += seconds(generated - began);
  slot_.evaluate += context_->caller.seconds() - evaluate;
  slot_.bound += context_->bound_seconds - bound;
  // What a subject takes without end it does not give back.
  const bool broken = pair.subject->broken() || verdict.failure == FailureClass::out_of_memory;
  count(s_.plan.pair_index(i), c, verdict, broken);
  if (!verdict.failed()) settle(i, c, verdict);
  if (verdict.outcome == Outcome::pass) return;
  if (!verdict.failed()) return note_reason(verdict);
  const std::optional<Suspect> suspect = failure({i, verdict, {}, {}, {}}, c);
  // The successor is given the case again, and settles it.
  if (!suspect) settle(i, c, verdict);
  if (suspect || broken) hand_over(suspect);
}

/// Until it is settled the same, whichever process asks.
Case Worker::case_of(std::uint64_t turn) {
  return climber_ && climber_->climbs() ? climber_->next(turn)
                                        : planned_case(s_.options, s_.plan, turn);
}

void Worker::settle(std::uint64_t turn, const Case& c, const Verdict& verdict) {
  if (climber_) climber_->settle(turn, c, verdict);
}

void Worker::write_corpus() try {
  if (climber_) climber_->write();
} catch (const std::exception& error) {
  send_error(error.what());
}

void Worker::count(std::size_t pair, const Case& c, const Verdict& verdict, bool broken) {
  Counters& counters = s_.state.counters(s_.number)[pair];
  if (broken) ++counters.wrecks;
  counters.add(verdict, s_.state.interval().load(std::memory_order_relaxed));
  slot_.statistics.add(c, verdict);
}

/// Leaks of some megabytes a case: before the limit hits a subject that is not to blame.
bool Worker::has_leaked() const {
  const std::uint64_t limit = s_.options.memory_limit;
  return limit != 0 && process::own_memory() > memory_before_ + limit / 2;
}

void Worker::note_reason(const Verdict& verdict) {
  auto& reasons = verdict.outcome == Outcome::skip ? skip_ : vacuous_;
  std::string reason = fold_numbers(verdict.reason);
  if (reasons.size() >= distinct_reasons && reasons.count(reason) == 0) reason = "other reasons";
  ++reasons[reason];
  if (now_ns() - reasons_sent_ > report_interval) flush_reasons();
}

void Worker::flush_reasons() {
  reasons_sent_ = now_ns();
  if (vacuous_.empty() && skip_.empty()) return;
  send({{"m", "reasons"}, {"vacuous", vacuous_}, {"skip", skip_}});
  vacuous_.clear();
  skip_.clear();
}

void Worker::send(const nlohmann::json& message) {
  // A parent that is gone takes this process with it (PDEATHSIG); nothing to do about it here.
  process::write_all(fd_, dump(message) + "\n");
}

void Worker::send_error(const std::string& text) { send({{"m", "error"}, {"text", text}}); }

}  // namespace ulpfuzz
