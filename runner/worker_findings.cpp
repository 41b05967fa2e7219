#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/shrink.hpp"
#include "verdict_json.hpp"
#include "worker.hpp"

namespace ulpfuzz {
namespace {

/// Originals of a bucket that each worker keeps and runs again. A hang costs its whole time-out.
unsigned originals_kept(FailureClass failure) { return failure == FailureClass::hang ? 1 : 3; }

}  // namespace

void Worker::failure(std::uint64_t turn, const Case& c, const Verdict& verdict) {
  const Pair& pair = s_.plan.pair(turn);
  const std::string bucket = bucket_id(*pair.property, *pair.subject, verdict);
  BucketWork& work = s_.buckets[bucket];
  const bool keeping = work.kept < originals_kept(verdict.failure);
  nlohmann::json message = {{"m", "fail"},
                            {"bucket", bucket},
                            {"share", finite(verdict.share)},
                            {"index", s_.options.index.value_or(turn)}};
  if (keeping) {
    message["first"] = {{"property", pair.property->name},
                        {"subject", pair.subject->name()},
                        {"class", name(verdict.failure)},
                        {"cause", verdict.cause},
                        {"first_op", verdict.first_op},
                        {"reason", verdict.reason},
                        {"command", files_.regenerate_command(pair, turn)}};
  }
  send(message);
  if (!keeping) return;
  ++work.kept;
  const std::int64_t began = now_ns();
  slot_.phase.store(Phase::finding, std::memory_order_release);
  keep(turn, c, verdict, bucket);
  slot_.phase.store(Phase::idle, std::memory_order_release);
  slot_.findings += static_cast<double>(now_ns() - began) * 1e-9;
}

void Worker::keep(std::uint64_t turn, const Case& c, const Verdict& verdict,
                  const std::string& bucket) {
  const Pair& pair = s_.plan.pair(turn);
  const std::string stem = content_hash(c);
  std::filesystem::path path;
  try {
    path = files_.write(stem, c, {pair, verdict, turn, bucket, "not run again yet", verdict.cause});
    send_file(bucket, path, c, verdict, false);
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  unsigned reproduced = 0;
  unsigned tried = 0;
  if (s_.state.stop().load(std::memory_order_relaxed)) return;
  confirm(c, pair, verdict, reproduced, tried);
  if (tried == 0) return;  // the campaign stops
  send({{"m", "confirmed"}, {"bucket", bucket}, {"reproduced", reproduced}, {"tried", tried}});
  const std::string history = fmt::format("failed again in {} of {} runs", reproduced, tried);
  try {
    if (!path.empty() && reproduced == 0) {
      path = files_.move_to_flaky(path, bucket);
      send({{"m", "flaky"}, {"bucket", bucket}, {"path", path.string()}});
    }
    if (!path.empty())
      files_.write_account(path, c, {pair, verdict, turn, bucket, history, verdict.cause});
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  if (reproduced > 0) shrink_finding(turn, c, verdict, bucket, history);
}

void Worker::confirm(const Case& c, const Pair& pair, const Verdict& verdict, unsigned& reproduced,
                     unsigned& tried) {
  const unsigned runs = verdict.failure == FailureClass::hang ? 1 : 3;
  while (tried < runs) {
    const Verdict again =
        judge_isolated(*pair.property, c, *pair.subject, s_.options.check, s_.options.case_timeout,
                       [this] { return s_.state.stop().load(std::memory_order_relaxed); });
    if (again.outcome == Outcome::skip && s_.state.stop().load(std::memory_order_relaxed)) break;
    ++tried;
    if (again.failed() && again.failure == verdict.failure) ++reproduced;
  }
}

void Worker::shrink_finding(std::uint64_t turn, const Case& c, const Verdict& verdict,
                            const std::string& bucket, const std::string& history) {
  if (s_.buckets[bucket].shrunk || s_.options.shrink_evaluations == 0) return;
  s_.buckets[bucket].shrunk = true;
  const Pair& pair = s_.plan.pair(turn);
  ShrinkOptions options;
  options.evaluations = s_.options.shrink_evaluations;
  options.seconds = s_.options.shrink_seconds;
  if (s_.deadline != process::Clock::time_point::max()) {
    // Many buckets must not eat the search, nor keep it going long after its time.
    const double left = -process::seconds_since(s_.deadline);
    options.seconds = std::min(options.seconds, std::max(5.0, left / 2));
  }
  options.check = s_.options.check;
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
        files_.write(stem, r.value, {pair, r.verdict, turn, bucket, shrunk, verdict.cause});
    send_file(bucket, path, r.value, r.verdict, true);
  } catch (const std::exception& error) {
    send_error(error.what());
  }
}

void Worker::look_into_death() {
  const Death& death = *s_.death;
  Verdict verdict;
  verdict.outcome = Outcome::fail;
  verdict.failure = death.failure;
  verdict.cause = death.cause;
  verdict.reason = death.reason;
  const Pair& pair = s_.plan.pair(death.turn);
  slot_.index = death.turn;
  // Generating succeeded in the worker that died, and so it will here.
  failure(death.turn, planned_case(s_.options, pair, death.turn), verdict);
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
