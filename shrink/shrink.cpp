#include "ulpfuzz/shrink/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "answers.hpp"
#include "descent.hpp"
#include "neighbour.hpp"
#include "same_failure.hpp"

namespace ulpfuzz {
namespace {

using shrinking::Answers;
using shrinking::Descent;
using shrinking::Goal;
using shrinking::Ranked;
using shrinking::Tally;

class Shrinker {
 public:
  Shrinker(const Judge& judge, const ShrinkOptions& options)
      : options_(options), answers_(judge, options) {}

  ShrinkResult run(const Case& c) {
    Ranked least{c, {}, {}};
    if (fails(c)) {
      least.verdict = result_.before;
      least.complexity = generators::complexity(c);
      tally_.ladder.add(least);
      const Goal goal{result_.before, shrinking::least_share(result_.before)};
      result_.stop = Descent(answers_, goal, options_, tally_).run(least);
      const std::uint64_t spent = answers_.evaluations();
      look_for_severe(least, spent);
      generators::Focus focus = focus_of(least.verdict);
      focus.activations = options_.activations;
      result_.neighbour = nearest_passing(answers_, least, focus);
    } else {
      least.verdict = result_.before;
      result_.stop = answers_.stop().value_or(ShrinkStop::not_failing);
    }
    return finish(std::move(least));
  }

 private:
  /// Sets `before`. What fails now and then may need several tries to be seen.
  bool fails(const Case& c) {
    const std::string key = content_hash(c);
    const Confirmation& wanted = options_.confirmation;
    unsigned hits = 0;
    for (unsigned tried = 0; hits < wanted.wanted || tried == 0; ++tried) {
      if (tried > 0 && (tried >= wanted.tried || wanted.tried - tried < wanted.wanted - hits))
        return false;
      const Verdict* v = answers_.ask(c, tried == 0 ? key : key + "#" + std::to_string(tried + 1));
      if (v == nullptr) return false;
      if (hits == 0) result_.before = *v;
      if (v->failed() && same_failure(result_.before, *v)) ++hits;
    }
    return hits > 0;
  }

  void look_for_severe(const Ranked& least, std::uint64_t spent) {
    const double half = result_.before.share / 2;
    if (!options_.severe || !std::isfinite(half) || least.verdict.share >= half) return;
    if (answers_.stop() && answers_.stop() != ShrinkStop::evaluations) return;
    answers_.limit(spent);
    const Goal goal{result_.before, std::max(half, shrinking::least_share(result_.before))};
    const Ranked* start = tally_.ladder.least_from(goal.share);
    if (start == nullptr) return;
    Ranked severe = *start;
    const ShrinkStop stop = Descent(answers_, goal, options_, tally_).run(severe);
    if (stop == ShrinkStop::broken || stop == ShrinkStop::cancelled || stop == ShrinkStop::time)
      result_.stop = stop;
    result_.severe = Shrunk{std::move(severe.value), std::move(severe.verdict)};
  }

  ShrinkResult finish(Ranked least) {
    result_.value = std::move(least.value);
    result_.verdict = std::move(least.verdict);
    result_.ladder = tally_.ladder.rungs();
    result_.passes = std::move(tally_.passes);
    result_.accepted = tally_.accepted;
    result_.slips = tally_.slips;
    result_.evaluations = answers_.evaluations();
    result_.recalled = answers_.recalled();
    result_.seconds = answers_.seconds();
    return std::move(result_);
  }

  const ShrinkOptions& options_;
  Answers answers_;
  Tally tally_;
  ShrinkResult result_;
};

}  // namespace

std::string_view name(ShrinkStop stop) {
  switch (stop) {
    case ShrinkStop::fixed_point:
      return "nothing simpler fails alike";
    case ShrinkStop::evaluations:
      return "budget of evaluations spent";
    case ShrinkStop::time:
      return "time spent";
    case ShrinkStop::stalled:
      return "nothing simpler found for long";
    case ShrinkStop::cancelled:
      return "cancelled";
    case ShrinkStop::broken:
      return "the subject cannot be used any more in this process";
    case ShrinkStop::not_failing:
      break;
  }
  return "the case does not fail";
}

Certificate certify(const Case& c, const Verdict& kept, const Judge& judge,
                    const ShrinkOptions& options) {
  validate(c);
  Answers answers(judge, options);
  Tally tally;
  Ranked best{c, {}, generators::complexity(c)};
  Certificate certificate;
  const Goal goal{kept, shrinking::least_share(kept)};
  if (const Verdict* now = answers.ask(c, content_hash(c))) {
    best.verdict = *now;
    if (goal.holds(*now)) {
      certificate.edit = Descent(answers, goal, options, tally).first(best);
    } else {
      certificate.stop = ShrinkStop::not_failing;
    }
  }
  if (answers.stop()) certificate.stop = *answers.stop();
  certificate.evaluations = answers.evaluations();
  if (!certificate.edit.empty())
    certificate.simpler = Shrunk{std::move(best.value), std::move(best.verdict)};
  return certificate;
}

ShrinkResult shrink(const Case& c, const Judge& judge, const ShrinkOptions& options) {
  validate(c);
  return Shrinker(judge, options).run(c);
}

}  // namespace ulpfuzz
