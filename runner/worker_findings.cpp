#include <fmt/format.h>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "verdict_json.hpp"
#include "worker.hpp"

namespace ulpfuzz {
namespace {

/// A hang costs its whole time-out, and gigabytes take seconds to fill.
bool is_slow(FailureClass failure) {
  return failure == FailureClass::hang || failure == FailureClass::out_of_memory;
}

/// Originals of a bucket that each worker keeps and runs again.
unsigned originals_kept(FailureClass failure) { return is_slow(failure) ? 1 : 3; }

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
std::optional<Suspect> Worker::failure(Suspect suspect, const Case& c) {
  suspect.bucket = files_.bucket(s_.plan.pair(suspect.turn), suspect.verdict);
  BucketWork& work = s_.buckets[suspect.bucket];
  const bool keeping = work.kept < originals_kept(suspect.verdict.failure);
  tell(suspect, c, keeping);
  if (!keeping) return std::nullopt;
  ++work.kept;
  const FindingTime timed(slot_);
  suspect.case_file = keep(suspect, c);
  return suspect;
}

void Worker::tell(const Suspect& suspect, const Case& c, bool first) {
  const Verdict& verdict = suspect.verdict;
  const Pair& pair = s_.plan.pair(suspect.turn);
  nlohmann::json message = {{"m", "fail"},
                            {"bucket", suspect.bucket},
                            {"share", json_number(verdict.share)},
                            {"index", number(suspect.turn)}};
  if (first) {
    message["first"] = {
        {"property", pair.property->name}, {"subject", pair.subject->name()},
        {"class", name(verdict.failure)},  {"cause", verdict.cause},
        {"first_op", verdict.first_op},    {"reason", verdict.reason},
        {"met_in", suspect.met_in},        {"command", files_.origin_command(finding(suspect), c)}};
  }
  send(message);
}

FindingFiles::Finding Worker::finding(const Suspect& suspect) const {
  const std::uint64_t n = number(suspect.turn);
  return {s_.plan.pair(suspect.turn),
          suspect.verdict,
          n,
          suspect.bucket,
          {},
          suspect.verdict.cause,
          suspect.met_in,
          {},
          {},
          suspect.report};
}

/// The case on disk, or an empty path where that cannot be.
std::filesystem::path Worker::keep(const Suspect& suspect, const Case& c) {
  try {
    FindingFiles::Finding f = finding(suspect);
    f.history = "not run again yet";
    const auto path = files_.write(content_hash(c), c, f);
    send_file(suspect.bucket, path, c, suspect.verdict, false);
    return path;
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  return {};
}

/// Ends this process's work: it has evaluated, so another one goes on.
void Worker::hand_over(const std::optional<Suspect>& suspect) {
  write_corpus();
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
  const std::string& bucket = suspect.bucket;
  std::filesystem::path path = suspect.case_file;
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
    FindingFiles::Finding f = finding(suspect);
    f.history = history;
    if (!path.empty()) files_.write_account(path, c, f);
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  if (reproduced == 0) return;
  shrink_finding(suspect, c, history);
  // Said here, not where the parent hears of it: no case follows.
  if (s_.options.fail_fast) s_.state.stop() = true;
}

void Worker::confirm(const Suspect& suspect, const Case& c, unsigned& reproduced, unsigned& tried) {
  const Verdict& verdict = suspect.verdict;
  const Pair& pair = s_.plan.pair(suspect.turn);
  const unsigned runs = is_slow(verdict.failure) ? 1 : 3;
  while (tried < runs) {
    const Verdict again = judge_isolated(
        *pair.property, c, *pair.subject, check_of(suspect.turn), s_.options.case_timeout,
        [this] { return s_.state.stop().load(std::memory_order_relaxed); },
        s_.options.memory_limit);
    if (again.outcome == Outcome::skip && s_.state.stop().load(std::memory_order_relaxed)) break;
    ++tried;
    if (again.failed() && again.failure == verdict.failure) ++reproduced;
  }
}

void Worker::look_into_suspect() {
  std::optional<Suspect> suspect = s_.suspect;
  slot_.index = suspect->turn;
  // Generating succeeded in the worker before, and so it will here.
  const Case c = case_of(suspect->turn);
  settle(suspect->turn, c, suspect->verdict);
  if (suspect->bucket.empty()) {
    slot_.statistics.add(c, suspect->verdict);  // the worker that died of it could not
    suspect = failure(*std::move(suspect), c);
  }
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
        {"share", json_number(verdict.share)}});
}

}  // namespace ulpfuzz
