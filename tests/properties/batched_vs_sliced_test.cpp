#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "cases.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::batched_vs_sliced;
using testing::HasSubstr;
using testing::StartsWith;
using trials::Changed;
using trials::check;
using trials::count;

TEST(BatchedVsSliced, CountsBitEqualElementsAndOneProbeRow) {
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 7, 3}, 6), trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
  EXPECT_EQ(count(v, Tier::bit_equal), 18u);
  EXPECT_EQ(v.element_count(), 21u);
}

TEST(BatchedVsSliced, FailsADifferenceBeyondTheBound) {
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][4] += 1e-3f;
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 7, 6}, 6), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::beyond_bound);
  EXPECT_EQ(v.worst.where, "output[row 0][column 4]");
  EXPECT_NEAR(v.worst.difference, 1e-3, 1e-5);
  EXPECT_GT(v.worst.share, 50);
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, HasSubstr("any order of summation"));
}

TEST(BatchedVsSliced, PassesOneUlp) {
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][4] = std::nextafter(e.outputs[0][4], 2.0f);
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 7, 3}, 6), off);
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
  EXPECT_GT(v.share, 0);
  EXPECT_LT(v.share, 1);
  EXPECT_EQ(v.worst.path_a, "batch of 6");
  EXPECT_THAT(v.worst.where, StartsWith("output[row "));
}

TEST(BatchedVsSliced, AllowsNotOneUlpWhereNothingRounds) {
  Case c = trials::mlp({4, 3}, 4);
  const auto small_integers = [](Tensor& t) {
    for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<float>(i % 5) - 2;
  };
  small_integers(c.inputs[0]);
  for (Tensor& t : c.parameters) small_integers(t);
  EXPECT_EQ(check(batched_vs_sliced, c, trials::Plain()).outcome, Outcome::pass);
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][4] = std::nextafter(e.outputs[0][4], 100.0f);
  });
  const Verdict v = check(batched_vs_sliced, c, off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.worst.tier, Tier::exact);
  EXPECT_TRUE(std::isinf(v.share));
}

TEST(BatchedVsSliced, FailsAnErrorThatBothPathsShare) {
  const Changed off([](const Evaluation& e) {
    const std::size_t n = e.batch * e.network.node(e.network.outputs()[0]).shape.size();
    for (std::size_t i = 0; i < n; ++i) e.outputs[0][i] += 0.01f;
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 7, 3}, 6), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.worst.path_b, "reference");
}

TEST(BatchedVsSliced, FailsNanWhereTheReferenceIsFinite) {
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][0] = std::numeric_limits<float>::quiet_NaN();
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 3}, 4), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::nonfinite_mismatch);
}

TEST(BatchedVsSliced, ComparesOnlyTheClassOfRowsThatAreNaN) {
  Case c = trials::mlp({5, 3}, 4);
  c.inputs[0].row(2)[1] = std::numeric_limits<float>::quiet_NaN();
  const Changed other_payload([](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][7] = std::bit_cast<float>(0x7fc00123u);
  });
  const Verdict v = check(batched_vs_sliced, c, other_payload);
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
  EXPECT_GE(count(v, Tier::class_only), 1u);
}

TEST(BatchedVsSliced, IsVacuousForAnEmptyBatch) {
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 3}, 0), trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::vacuous);
  EXPECT_FALSE(v.reason.empty());
}

TEST(BatchedVsSliced, JudgesTheProbeRowWithoutASplit) {
  Case c = trials::mlp({5, 3}, 4);
  c.split.clear();
  const Verdict v = check(batched_vs_sliced, c, trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::pass);
  EXPECT_EQ(v.element_count(), 3u);
}

class Refuses : public trials::Plain {
 public:
  std::optional<std::string> unsupported(const Network&) const override { return "no such op"; }
};

TEST(BatchedVsSliced, SkipsWhatTheSubjectDoesNotEvaluate) {
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 3}, 4), Refuses());
  EXPECT_EQ(v.outcome, Outcome::skip);
  EXPECT_EQ(v.reason, "no such op");
}

TEST(BatchedVsSliced, FailsSubjectsThatDoNotGiveTheSameTwice) {
  int calls = 0;
  const Changed off([&calls](const Evaluation& e) {
    if (e.batch > 1) e.outputs[0][0] += 0.001f * static_cast<float>(++calls);
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 3}, 4), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::nondeterministic);
}

TEST(BatchedVsSliced, TurnsExceptionsIntoFailures) {
  const Changed off([](const Evaluation&) { throw std::runtime_error("no workspace"); });
  const Verdict v = check(batched_vs_sliced, trials::mlp({5, 3}, 4), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::exception);
  EXPECT_THAT(v.reason, HasSubstr("no workspace"));
}

TEST(BatchedVsSliced, IsAPureFunctionOfCaseAndSubject) {
  const Registry subjects = builtin_subjects();
  const Subject* eigen = subjects.find("eigen");
  ASSERT_NE(eigen, nullptr);
  const Case c = trials::mlp({33, 40, 9}, 17);
  CheckContext context;
  const Verdict first = batched_vs_sliced.check(c, *eigen, {}, context);
  check(batched_vs_sliced, trials::mlp({3, 3}, 3), *eigen);
  const Verdict second = batched_vs_sliced.check(c, *eigen, {}, context);
  EXPECT_EQ(first.outcome, second.outcome);
  EXPECT_EQ(first.share, second.share);
  EXPECT_EQ(first.elements, second.elements);
}

}  // namespace
}  // namespace ulpfuzz
