#include "trials.hpp"

#include <poll.h>

#include <array>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/search/features.hpp"

namespace ulpfuzz::nightly {
namespace {

using process::Clock;

constexpr int broken = 72;                     // exit code: the subject is, after a whole trial
constexpr std::size_t trials_a_context = 256;  // before its buffers are given back

/// One child: judges trials first, first + step, ... and writes, for each, {index, failed, count,
/// features...} as numbers of 32 bits.
struct Child {
  process::Child process;
  std::size_t next = 0;  ///< trial that it is at
  std::string inbox;
  Clock::time_point heard = Clock::now();
  bool ended = false;
};

bool tell(int fd, const std::vector<std::uint32_t>& message) {
  return process::write_all(
      fd, {reinterpret_cast<const char*>(message.data()), message.size() * sizeof message[0]});
}

int work(std::span<const Trial> trials, std::size_t first, std::size_t step, int fd) {
  std::optional<CheckContext> context;
  std::size_t done = 0;
  for (std::size_t i = first; i < trials.size(); i += step) {
    if (done++ % trials_a_context == 0) context.emplace();
    const Trial& t = trials[i];
    CheckOptions check;
    check.bitwise = noted_bitwise(*t.file);
    const Verdict v = judge(*t.property, t.file->value, *t.subject, check, *context);
    const auto shown = search::features(t.file->value, v, t.property->needs_gradient);
    std::vector<std::uint32_t> message{static_cast<std::uint32_t>(i), v.failed() ? 1U : 0U,
                                       static_cast<std::uint32_t>(shown.size())};
    message.insert(message.end(), shown.begin(), shown.end());
    if (!tell(fd, message)) return 71;
    if (t.subject->broken()) return broken;
  }
  return 0;
}

Child fork_child(std::span<const Trial> trials, std::size_t first, const TrialOptions& options) {
  Child child;
  child.process = process::fork_child([&](int fd) { return work(trials, first, options.jobs, fd); },
                                      options.memory_limit);
  child.next = first;
  return child;
}

class Judging {
 public:
  Judging(std::span<const Trial> trials, const TrialOptions& options,
          const std::function<void(std::size_t, Shown&&)>& shown)
      : trials_(trials), options_(options), shown_(shown) {}
  ~Judging() {
    for (const Child& c : children_)
      if (!c.ended) end(c);
  }
  Judging(const Judging&) = delete;
  Judging& operator=(const Judging&) = delete;

  void run() {
    for (std::size_t w = 0; w < options_.jobs && w < trials_.size(); ++w)
      children_.push_back(fork_child(trials_, w, options_));
    while (!children_.empty()) {
      wait_for_news();
      for (std::size_t c = 0; c < children_.size();) {
        if (look_after(children_[c]))
          ++c;
        else
          children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(c));
      }
    }
  }

 private:
  void wait_for_news() {
    std::vector<pollfd> waiting;
    for (const Child& c : children_) waiting.push_back({c.process.read_fd, POLLIN, 0});
    poll(waiting.data(), waiting.size(), 50);
  }

  static process::Ending end(const Child& c) {
    kill(c.process.pid, SIGKILL);
    return process::ending_of(c.process);
  }

  /// False once all its trials are done.
  bool look_after(Child& c) {
    const bool stop = options_.cancelled && options_.cancelled();
    const bool late = process::seconds_since(c.heard) > options_.case_timeout;
    const bool over = stop || late || process::has_grown(c.process);
    pollfd ready{c.process.read_fd, POLLIN, 0};
    if (!over && (poll(&ready, 1, 0) <= 0 || read_some(c))) return true;
    const process::Ending ending = over ? end(c) : process::ending_of(c.process);
    c.ended = true;
    const bool broke = ending.how == process::Ending::How::exited && ending.code == broken;
    // It ended in the middle: that trial shows nothing, the rest goes on elsewhere. Where a
    // subject that is broken ended it, the trial before was its last.
    const std::size_t rest = broke ? c.next : c.next + options_.jobs;
    if (stop || c.next >= trials_.size() || rest >= trials_.size()) return false;
    c = fork_child(trials_, rest, options_);
    return true;
  }

  /// False at the end.
  bool read_some(Child& c) {
    if (!process::read_some(c.process.read_fd, c.inbox)) return false;
    c.heard = Clock::now();
    take(c);
    return true;
  }

  void take(Child& c) {
    constexpr std::size_t word = sizeof(std::uint32_t), head = 3 * word;
    std::size_t from = 0;
    while (c.inbox.size() - from >= head) {
      std::array<std::uint32_t, 3> h{};
      std::memcpy(h.data(), c.inbox.data() + from, head);
      if (c.inbox.size() - from < head + h[2] * word) break;
      Shown shown;
      shown.failed = h[1] != 0;
      shown.features.resize(h[2]);
      std::memcpy(shown.features.data(), c.inbox.data() + from + head, h[2] * word);
      shown_(h[0], std::move(shown));
      c.next = h[0] + options_.jobs;
      from += head + h[2] * word;
    }
    c.inbox.erase(0, from);
  }

  std::span<const Trial> trials_;
  const TrialOptions& options_;
  const std::function<void(std::size_t, Shown&&)>& shown_;
  std::vector<Child> children_;
};

}  // namespace

Trial trial_of(const Session& session, const GivenCase& given) {
  return {&given.content, properties::find(given.content.notes.at("property")),
          session.judges().find(given.subject)};
}

TrialOptions trial_options(const Session& session, std::function<bool()> cancelled) {
  const NightlyOptions& o = session.options();
  return {o.jobs, o.case_timeout, o.memory_limit, std::move(cancelled)};
}

void judge_all(std::span<const Trial> trials, const TrialOptions& options,
               const std::function<void(std::size_t, Shown&&)>& shown) {
  Judging(trials, options, shown).run();
}

}  // namespace ulpfuzz::nightly
