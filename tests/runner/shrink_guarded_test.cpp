#include "ulpfuzz/runner/shrink_guarded.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

#include "trial_subjects.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/shrink/shrink.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using mutants::DropsLast;
using mutants::Staged;

generators::Limits plain() {
  generators::Limits limits;
  limits.kind = generators::Limits::Kind::plain;
  return limits;
}

/// The first case of the seed that fails.
Case guarded_case(const Property& property, const Subject& subject) {
  CheckContext context;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Case c = generators::case_from_seed(3, i, plain());
    if (judge(property, c, subject, {}, context).failed()) return c;
  }
  throw std::runtime_error("no case fails");
}

TEST(Shrink, EndsAtASmallerCaseOfTheSameFailure) {
  const DropsLast subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = guarded_case(property, subject);
  const ShrinkResult r = shrink_guarded(c, property, subject);
  EXPECT_GT(r.accepted, 0);
  EXPECT_LE(r.evaluations, 3000);
  EXPECT_LT(generators::complexity(r.value), generators::complexity(c));
  EXPECT_TRUE(same_failure(r.before, r.verdict));
  EXPECT_NO_THROW(validate(r.value));
  CheckContext context;
  const Verdict again = judge(property, r.value, subject, {}, context);
  EXPECT_EQ(again.failure, r.verdict.failure);
  EXPECT_EQ(again.cause, r.verdict.cause);
}

TEST(Shrink, GivesTheSameTwice) {
  const DropsLast subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = guarded_case(property, subject);
  EXPECT_TRUE(identical(shrink_guarded(c, property, subject).value,
                        shrink_guarded(c, property, subject).value));
}

TEST(Shrink, ReturnsACaseThatPassesUntouched) {
  const Staged subject("honest", [](const Evaluation&) {});
  const Case c = generators::case_from_seed(3, 0, plain());
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject);
  EXPECT_EQ(r.stop, ShrinkStop::not_failing);
  EXPECT_EQ(r.evaluations, 1);
  EXPECT_TRUE(identical(r.value, c));
}

TEST(Shrink, KeepsItsBudget) {
  const DropsLast subject;
  GuardOptions options;
  options.evaluations = 5;
  const Case c = guarded_case(properties::batched_vs_sliced, subject);
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.stop, ShrinkStop::evaluations);
  EXPECT_EQ(r.evaluations, 5);
}

TEST(Shrink, SurvivesACrashOnTheWayToAnotherFailure) {
  // Wrong everywhere, and candidates of three rows and fewer take the process along.
  class Both final : public KernelSubject {
   public:
    std::string_view name() const override { return "both"; }

   protected:
    void begin(const Evaluation& e) const override {
      if (e.batch <= 3) raise(SIGSEGV);
    }
    void activation(Op, float, const float* x, std::size_t count, float* y) const override {
      for (std::size_t i = 0; i < count; ++i) y[i] = x[i] + static_cast<float>(count);
    }
  };
  const Both subject;
  Case c;
  for (std::uint64_t i = 0;; ++i) {
    c = generators::case_from_seed(9, i, plain());
    if (c.batch() > 4 && judge_isolated(properties::batched_vs_sliced, c, subject, {}).failure ==
                             FailureClass::beyond_bound)
      break;
    ASSERT_LT(i, 2000);
  }
  GuardOptions options;
  options.evaluations = 300;
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.before.failure, FailureClass::beyond_bound);
  EXPECT_EQ(r.verdict.failure, FailureClass::beyond_bound);
  EXPECT_GT(r.accepted, 0);
  EXPECT_GT(r.recalled, 0) << "what the lost process had judged was judged again";
  EXPECT_LT(generators::complexity(r.value), generators::complexity(c));
}

/// Everything but time, which differs.
void expect_same(const ShrinkResult& a, const ShrinkResult& b) {
  EXPECT_TRUE(identical(a.value, b.value));
  EXPECT_EQ(to_json(a.verdict), to_json(b.verdict));
  EXPECT_EQ(to_json(a.before), to_json(b.before));
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.accepted, b.accepted);
  EXPECT_EQ(a.slips, b.slips);
  EXPECT_EQ(a.stop, b.stop);
  ASSERT_EQ(a.severe.has_value(), b.severe.has_value());
  if (a.severe) {
    EXPECT_TRUE(identical(a.severe->value, b.severe->value));
    EXPECT_EQ(to_json(a.severe->verdict), to_json(b.severe->verdict));
  }
  ASSERT_EQ(a.neighbour.has_value(), b.neighbour.has_value());
  if (a.neighbour) {
    EXPECT_EQ(a.neighbour->edit, b.neighbour->edit);
    EXPECT_TRUE(identical(a.neighbour->value, b.neighbour->value));
  }
  ASSERT_EQ(a.ladder.size(), b.ladder.size());
  for (std::size_t i = 0; i < a.ladder.size(); ++i) {
    EXPECT_EQ(a.ladder[i].octave, b.ladder[i].octave);
    EXPECT_TRUE(identical(a.ladder[i].least.value, b.ladder[i].least.value));
  }
  ASSERT_EQ(a.passes.size(), b.passes.size());
  for (std::size_t i = 0; i < a.passes.size(); ++i) {
    EXPECT_EQ(a.passes[i].name, b.passes[i].name);
    EXPECT_EQ(a.passes[i].tried, b.passes[i].tried);
    EXPECT_EQ(a.passes[i].accepted, b.passes[i].accepted);
  }
}

TEST(Shrink, GivesThroughTheChildWhatTheEngineGivesHere) {
  const DropsLast subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = guarded_case(property, subject);
  CheckContext context;
  const ShrinkResult here =
      shrink(c, [&](const Case& x) { return judge(property, x, subject, {}, context); });
  ASSERT_GT(here.accepted, 3u);
  ASSERT_FALSE(here.ladder.empty());
  expect_same(shrink_guarded(c, property, subject), here);
  GuardOptions isolated;
  isolated.isolate = true;
  expect_same(shrink_guarded(c, property, subject, isolated), here);
}

/// A memory that counts, and forgets after `most`.
struct Counting final : ShrinkMemory {
  std::map<std::string, Verdict> known;
  std::size_t asked = 0, most = ~std::size_t{0};
  std::optional<Verdict> recall(const std::string& hash) override {
    ++asked;
    const auto at = known.find(hash);
    return at == known.end() ? std::nullopt : std::optional(at->second);
  }
  void record(const std::string& hash, const Verdict& v) override {
    if (known.size() < most) known.emplace(hash, v);
  }
};

TEST(Shrink, GoesOnFromWhatTheMemoryKnowsToTheSameResult) {
  const DropsLast subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = guarded_case(property, subject);
  GuardOptions options;
  Counting all;
  options.memory = &all;
  const ShrinkResult whole = shrink_guarded(c, property, subject, options);
  EXPECT_EQ(whole.recalled, 0u);
  EXPECT_EQ(all.known.size(), whole.evaluations);
  for (std::size_t known : {std::size_t{1}, all.known.size() / 2, all.known.size()}) {
    Counting part;
    part.most = known;
    options.memory = &part;
    shrink_guarded(c, property, subject, options);
    part.most = ~std::size_t{0};
    const ShrinkResult resumed = shrink_guarded(c, property, subject, options);
    EXPECT_EQ(resumed.recalled, known);
    expect_same(resumed, whole);
  }
}

TEST(Shrink, KeepsWhatWasAcceptedWhenCancelled) {
  const DropsLast subject;
  GuardOptions options;
  int accepted = 0;
  options.accepted = [&](const Case&, const Verdict&, std::uint64_t) { ++accepted; };
  options.cancelled = [&] { return accepted >= 2; };
  const Case c = guarded_case(properties::batched_vs_sliced, subject);
  for (const bool isolate : {false, true}) {
    accepted = 0;
    options.isolate = isolate;
    const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject, options);
    EXPECT_TRUE(r.verdict.failed());
    EXPECT_LT(generators::complexity(r.value), generators::complexity(c));
  }
}

TEST(Shrink, KeepsWhatWasAcceptedWhereAHangTakesAllTheTime) {
  const Staged subject("staged", [](const Evaluation& e) {
    while (e.batch < 3) pause();
    throw std::runtime_error("wrong");
  });
  Case c;
  for (std::uint64_t i = 0; c.batch() < 8; ++i) c = generators::case_from_seed(4, i, plain());
  GuardOptions options;
  options.seconds = options.case_timeout = 1;
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.stop, ShrinkStop::time);
  EXPECT_EQ(r.before.failure, FailureClass::exception);
  EXPECT_EQ(r.verdict.failure, FailureClass::exception);
  EXPECT_LT(generators::complexity(r.value), generators::complexity(c));
}

TEST(Shrink, ShrinksACrashInChildren) {
  const Staged subject("crashing", [](const Evaluation& e) {
    if (e.batch >= 4) raise(SIGFPE);
  });
  Case c;
  for (std::uint64_t i = 0; c.batch() < 8; ++i) c = generators::case_from_seed(4, i, plain());
  GuardOptions options;
  options.evaluations = 200;
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.verdict.failure, FailureClass::crash);
  EXPECT_EQ(r.verdict.cause, "sigfpe");
  EXPECT_EQ(r.value.batch(), 4);
}

TEST(SameFailure, TellsClassesAndCausesApartAndKeepsAMargin) {
  Verdict original;
  original.outcome = Outcome::fail;
  original.failure = FailureClass::beyond_bound;
  original.cause = "doubled";
  original.share = 100;
  Verdict candidate = original;
  EXPECT_TRUE(same_failure(original, candidate));
  candidate.share = 2;
  EXPECT_TRUE(same_failure(original, candidate));
  candidate.share = 1.5;
  EXPECT_FALSE(same_failure(original, candidate));
  original.share = 2;
  EXPECT_TRUE(same_failure(original, candidate));
  candidate.cause = "row leak";
  EXPECT_FALSE(same_failure(original, candidate));
  candidate.cause = "unexplained";
  EXPECT_TRUE(same_failure(original, candidate));
  original.cause = "unexplained";
  candidate.cause = "row leak";
  EXPECT_TRUE(same_failure(original, candidate));
  candidate.failure = FailureClass::nonfinite_mismatch;
  EXPECT_FALSE(same_failure(original, candidate));
  original.failure = candidate.failure = FailureClass::not_bitwise;
  original.first_op = "elu";
  candidate.first_op = "linear";
  EXPECT_FALSE(same_failure(original, candidate));
  candidate = original;
  EXPECT_TRUE(same_failure(original, candidate));
  candidate.outcome = Outcome::pass;
  EXPECT_FALSE(same_failure(original, candidate));
}

}  // namespace
}  // namespace ulpfuzz
