#include "shrink/trial.hpp"

#include <algorithm>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr int replays = 20;
constexpr int most_tries = 32;  // of a failure that comes and goes
constexpr std::uint64_t most_cases = 100'000;

const Subject& honest() {
  static const Registry registry = builtin_subjects();
  return *registry.find("loops");
}

bool told_apart(const Verdict& a, const Verdict& b) {
  const auto told = [](const Verdict& v) {
    return !v.cause.empty() && v.cause.find("unexplained") == std::string::npos;
  };
  return a.failure != b.failure || (told(a) && told(b) && a.cause != b.cause);
}

/// A replay. One that comes and goes is waited for.
bool fails_alike(const Planted& planted, const Subject& subject, const Start& start,
                 const Case& c) {
  const Judge judge = judge_of(planted, subject);
  const int tries = planted.confirmation.tried > 1 ? most_tries : 1;
  for (int i = 0; i < tries; ++i) {
    const Verdict verdict = judge(c);
    if (verdict.failed() && !told_apart(start.failing.verdict, verdict)) return true;
  }
  return false;
}

/// The verdict; of a failure that comes and goes, one that is the start's if there is any: now and
/// then two calls that race differ and their repetitions do not.
Verdict verdict_of(const Planted& planted, const Subject& subject, const Start& start,
                   const Case& c) {
  const Judge judge = judge_of(planted, subject);
  Verdict verdict = judge(c);
  const auto alike = [&] { return !told_apart(start.failing.verdict, verdict); };
  for (int i = 1; planted.confirmation.tried > 1 && i < most_tries && !alike(); ++i)
    verdict = judge(c);
  return verdict;
}

}  // namespace

std::vector<Start> find_starts(const Planted& planted, const Subject& subject, std::uint64_t seed,
                               std::size_t count) {
  const Judge judge = judge_of(planted, subject);
  std::vector<Start> starts;
  for (std::uint64_t i = 0; starts.size() < count && i < most_cases; ++i) {
    Case c = generators::case_from_seed(seed, i, limits_of(planted));
    Verdict verdict = judge(c);
    if (!verdict.failed() || verdict.failure != planted.failure) continue;
    starts.push_back({i, {std::move(c), std::move(verdict)}});
  }
  return starts;
}

void assess(const Planted& planted, const Subject& subject, const Start& start, const Case& result,
            const std::vector<std::uint64_t>& optimum, Trial& trial) {
  trial.complexity = generators::complexity(result);
  trial.below = structure(result) < optimum;
  trial.gap = 0;
  for (std::size_t i = 0; i < optimum.size(); ++i)
    trial.gap += trial.complexity[i] - std::min(trial.complexity[i], optimum[i]);
  trial.hash = content_hash(result);
  trial.text = describe(result);
  trial.bytes = to_text(CaseFile{result, {}}).size();
  int again = 0;
  for (int i = 0; i < replays; ++i) again += fails_alike(planted, subject, start, result) ? 1 : 0;
  trial.reproduced = static_cast<double>(again) / replays;
  const Verdict verdict = verdict_of(planted, subject, start, result);
  const bool sound = judge_of(planted, honest())(result).failed();
  trial.slipped = told_apart(start.failing.verdict, verdict) || sound;
  trial.start_share = start.failing.verdict.share;
  trial.share = verdict.share;
  trial.cause = verdict.cause;
  trial.severe_share = std::max(trial.severe_share, trial.share);
}

Trial run_trial(const Planted& planted, const Subject& subject, const Start& start,
                const std::vector<std::uint64_t>& optimum) {
  ShrinkOptions options;
  options.confirmation = planted.confirmation;
  options.activations = recorder();
  const Judge judge = judge_of(planted, subject);
  const ShrinkResult result = shrink(start.failing.value, judge, options);
  Trial trial;
  trial.evaluations = result.evaluations;
  trial.seconds = result.seconds;
  trial.harvested = result.slips;
  trial.severe_share = result.severe ? result.severe->verdict.share : result.verdict.share;
  trial.capped = result.stop != ShrinkStop::fixed_point;
  assess(planted, subject, start, result.value, optimum, trial);
  return trial;
}

}  // namespace ulpfuzz::bench
