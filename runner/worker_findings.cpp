#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "verdict_json.hpp"
#include "worker.hpp"

namespace ulpfuzz {
namespace {

/// Originals of a bucket that each worker keeps and runs again. A hang costs its whole time-out.
unsigned originals_kept(FailureClass failure) { return failure == FailureClass::hang ? 1 : 3; }

/// Counts the time for findings.
class FindingTime {
 public:
  explicit FindingTime(Slot& slot) : slot_(slot) {
    slot_.phase.store(Phase::finding, std::memory_order_release);
  }
  ~FindingTime() {
    slot_.phase.store(Phase::idle, std::memory_order_release);
    slot_.findings += static_cast<double>(now_ns() - began_) * 1e-9;
  }
  FindingTime(const FindingTime&) = delete;
  FindingTime& operator=(const FindingTime&) = delete;

 private:
  Slot& slot_;
  std::int64_t began_ = now_ns();
};

}  // namespace

/// Tells of a failure; what the worker's successor is to look into, if it is worth that.
std::optional<Suspect> Worker::failure(std::uint64_t turn, const Case& c, const Verdict& verdict) {
  const Pair& pair = s_.plan.pair(turn);
  const std::string bucket = files_.bucket(pair, verdict);
  BucketWork& work = s_.buckets[bucket];
  const bool keeping = work.kept < originals_kept(verdict.failure);
  nlohmann::json message = {
      {"m", "fail"}, {"bucket", bucket}, {"share", finite(verdict.share)}, {"index", number(turn)}};
  if (keeping) {
    message["first"] = {{"property", pair.property->name},
                        {"subject", pair.subject->name()},
                        {"class", name(verdict.failure)},
                        {"cause", verdict.cause},
                        {"first_op", verdict.first_op},
                        {"reason", verdict.reason},
                        {"command", files_.regenerate_command(pair, number(turn))}};
  }
  send(message);
  if (!keeping) return std::nullopt;
  ++work.kept;
  const FindingTime timed(slot_);
  Suspect suspect{turn, verdict, bucket, {}};
  suspect.case_file = keep(suspect, c);
  return suspect;
}

/// The case on disk, or an empty path where that cannot be.
std::filesystem::path Worker::keep(const Suspect& suspect, const Case& c) {
  const auto& [turn, verdict, bucket, none] = suspect;
  try {
    const auto path = files_.write(
        content_hash(c), c,
        {s_.plan.pair(turn), verdict, number(turn), bucket, "not run again yet", verdict.cause});
    send_file(bucket, path, c, verdict, false);
    return path;
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  return {};
}

/// Ends this process's work: it has evaluated, so another one goes on.
void Worker::hand_over(const std::optional<Suspect>& suspect) {
  flush_reasons();
  nlohmann::json message = {{"m", "again"}};
  if (suspect)
    message["suspect"] = {{"turn", suspect->turn},
                          {"verdict", to_json(suspect->verdict)},
                          {"bucket", suspect->bucket},
                          {"path", suspect->case_file.string()}};
  send(message);
  slot_.phase.store(Phase::again, std::memory_order_release);
  ended_ = true;
}

/// Runs a failure again and shrinks it. All of it in children.
void Worker::inquire(const Suspect& suspect, const Case& c) {
  const auto& [turn, verdict, bucket, kept] = suspect;
  const Pair& pair = s_.plan.pair(turn);
  std::filesystem::path path = kept;
  unsigned reproduced = 0;
  unsigned tried = 0;
  if (s_.state.stop().load(std::memory_order_relaxed)) return;
  confirm(suspect, c, reproduced, tried);
  if (tried == 0) return;  // the campaign stops
  send({{"m", "confirmed"}, {"bucket", bucket}, {"reproduced", reproduced}, {"tried", tried}});
  const std::string history = fmt::format("failed again in {} of {} runs", reproduced, tried);
  try {
    if (!path.empty() && reproduced == 0) {
      path = files_.move_to_flaky(path, bucket);
      send({{"m", "flaky"}, {"bucket", bucket}, {"path", path.string()}});
    }
    if (!path.empty())
      files_.write_account(path, c, {pair, verdict, number(turn), bucket, history, verdict.cause});
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  if (reproduced > 0) shrink_finding(suspect, c, history);
}

void Worker::confirm(const Suspect& suspect, const Case& c, unsigned& reproduced, unsigned& tried) {
  const Verdict& verdict = suspect.verdict;
  const Pair& pair = s_.plan.pair(suspect.turn);
  const unsigned runs = verdict.failure == FailureClass::hang ? 1 : 3;
  while (tried < runs) {
    const Verdict again = judge_isolated(
        *pair.property, c, *pair.subject, check_of(suspect.turn), s_.options.case_timeout,
        [this] { return s_.state.stop().load(std::memory_order_relaxed); });
    if (again.outcome == Outcome::skip && s_.state.stop().load(std::memory_order_relaxed)) break;
    ++tried;
    if (again.failed() && again.failure == verdict.failure) ++reproduced;
  }
}

void Worker::shrink_finding(const Suspect& suspect, const Case& c, const std::string& history) {
  const auto& [turn, verdict, bucket, kept] = suspect;
  if (s_.buckets[bucket].shrunk || s_.options.shrink_evaluations == 0) return;
  s_.buckets[bucket].shrunk = true;
  const Pair& pair = s_.plan.pair(turn);
  GuardOptions options;
  options.evaluations = s_.options.shrink_evaluations;
  options.seconds = s_.options.shrink_seconds;
  if (s_.deadline != process::Clock::time_point::max()) {
    // Many buckets must not eat the search, nor keep it going long after its time.
    const double left = -process::seconds_since(s_.deadline);
    options.seconds = std::min(options.seconds, std::max(5.0, left / 2));
  }
  options.check = check_of(turn);
  // Smaller cases take no longer: waiting for each as for the first would leave no time to try any.
  options.case_timeout = verdict.failure == FailureClass::hang
                             ? std::min(1.0, s_.options.case_timeout)
                             : s_.options.case_timeout;
  options.isolate = verdict.failure == FailureClass::crash || verdict.failure == FailureClass::hang;
  options.cancelled = [&] { return s_.state.stop().load(std::memory_order_relaxed); };
  try {
    const ShrinkResult r = shrink_guarded(c, *pair.property, *pair.subject, options);
    if (!r.verdict.failed()) return;
    const std::string shrunk = fmt::format("{}; shrunk by {} steps in {} evaluations ({})", history,
                                           r.accepted, r.evaluations, name(r.stop));
    const std::string stem = fmt::format("minimal-{}", s_.number);
    const auto path =
        files_.write(stem, r.value, {pair, r.verdict, number(turn), bucket, shrunk, verdict.cause});
    send_file(bucket, path, r.value, r.verdict, true);
  } catch (const std::exception& error) {
    send_error(error.what());
  }
}

void Worker::look_into_suspect() {
  std::optional<Suspect> suspect = s_.suspect;
  slot_.index = suspect->turn;
  // Generating succeeded in the worker before, and so it will here.
  const Case c = planned_case(s_.options, s_.plan, suspect->turn);
  if (suspect->bucket.empty()) suspect = failure(suspect->turn, c, suspect->verdict);
  if (!suspect) return;
  const FindingTime timed(slot_);
  inquire(*suspect, c);
}

void Worker::send_file(const std::string& bucket, const std::filesystem::path& path, const Case& c,
                       const Verdict& verdict, bool minimal) {
  send({{"m", "file"},
        {"bucket", bucket},
        {"path", path.string()},
        {"hash", content_hash(c)},
        {"first_op", verdict.first_op},
        {"minimal", minimal},
        {"complexity", generators::complexity(c)},
        {"share", finite(verdict.share)}});
}

}  // namespace ulpfuzz
