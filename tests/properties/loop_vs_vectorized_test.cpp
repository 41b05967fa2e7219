#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cases.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::loop_vs_vectorized;
using testing::HasSubstr;
using testing::StartsWith;
using trials::Changed;
using trials::check;
using trials::count;

/// Is this the evaluation of a jvp network: one output, inputs of the batch only?
bool is_forward_mode(const Evaluation& e) {
  return e.network.outputs().size() == 1 &&
         e.network.node(e.network.outputs()[0]).axis == Axis::repeated;
}

bool is_reverse_mode(const Evaluation& e) { return !is_forward_mode(e) && e.network.repeat() > 1; }

TEST(LoopVsVectorized, ComparesEachElementWithBothSchedules) {
  const Case c = trials::mlp({4, 5, 3}, 2);
  const Verdict v = check(loop_vs_vectorized, c, trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
  const std::size_t elements = 4 + 20 + 5 + 15 + 3;
  const std::size_t jacobian = 2 * 3 * elements;
  EXPECT_GE(v.element_count(), 2 * jacobian + (elements - 4));
  EXPECT_LE(v.element_count(), 2 * jacobian + (elements - 4) + elements);
  EXPECT_EQ(count(v, Tier::none), 0u);
}

TEST(LoopVsVectorized, FailsAReverseElementBeyondTheBound) {
  const Changed off([](const Evaluation& e) {
    if (is_reverse_mode(e)) e.outputs[1][6] += 1e-3f;
  });
  const Verdict v = check(loop_vs_vectorized, trials::mlp({4, 5, 3}, 2), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::beyond_bound);
  EXPECT_EQ(v.worst.where, "d output[0] / d parameter 0[1][2], row 0");
  EXPECT_THAT(v.worst.path_b + v.worst.path_a, HasSubstr("vectorized reverse"));
}

TEST(LoopVsVectorized, FailsAForwardElementBeyondTheBound) {
  const Changed off([](const Evaluation& e) {
    if (is_forward_mode(e) && e.network.repeat() == 20) e.outputs[0][6 * 3 + 1] += 1e-3f;
  });
  const Verdict v = check(loop_vs_vectorized, trials::mlp({4, 5, 3}, 2), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.worst.where, "d output[1] / d parameter 0[1][2], row 0");
  EXPECT_THAT(v.worst.path_b + v.worst.path_a, HasSubstr("vectorized forward"));
}

TEST(LoopVsVectorized, FailsABatchSumThatLosesARow) {
  const Changed off([](const Evaluation& e) {
    const auto& outputs = e.network.outputs();
    if (e.batch < 3 || e.network.node(outputs.back()).axis != Axis::shared) return;
    for (float* y = e.outputs[1]; y != e.outputs[1] + 4; ++y) *y += 0.25f;
  });
  const Verdict v = check(loop_vs_vectorized, trials::mlp({4, 5, 3}, 3), off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_THAT(v.worst.where, StartsWith("batch-summed gradient of parameter 0["));
  EXPECT_EQ(v.worst.path_a, "the batch of 3");
}

TEST(LoopVsVectorized, FailsWhatAllSchedulesShareAtTheProbe) {
  const Changed off([](const Evaluation& e) {
    if (e.network.outputs().size() < 2) return;
    const Node& node = e.network.node(e.network.outputs()[1]);
    const std::size_t n = e.network.entries(node, e.batch) * node.shape.size();
    for (std::size_t i = 0; i < n; ++i) e.outputs[1][i] += 0.5f;
  });
  EXPECT_EQ(check(loop_vs_vectorized, trials::mlp({4, 3}, 2), off).outcome, Outcome::fail);
}

TEST(LoopVsVectorized, IsVacuousForAnEmptyBatch) {
  const Verdict v = check(loop_vs_vectorized, trials::mlp({4, 3}, 0), trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::vacuous);
}

TEST(LoopVsVectorized, PassesEachPathsOwnMaskAtAnUndecidedKink) {
  // z = x + p rounds to exactly 0 while its exact value is 2^-25 from it: either mask is right.
  const Case c = trials::single_relu(1, -1 + 0x1p-24f);
  EXPECT_EQ(check(loop_vs_vectorized, c, trials::Plain()).outcome, Outcome::pass);
}

TEST(LoopVsVectorized, PassesExactTies) {
  const Verdict v = check(loop_vs_vectorized, trials::single_relu(1, -1), trials::Plain());
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
}

TEST(LoopVsVectorized, DoesNotCompareClassesAcrossModes) {
  Case c = trials::mlp({3, 4, 2}, 2);
  c.parameters[0].data[0] = std::numeric_limits<float>::infinity();
  const Verdict v = check(loop_vs_vectorized, c, trials::Plain());
  EXPECT_NE(v.outcome, Outcome::fail) << v.reason;
  EXPECT_GT(count(v, Tier::none), 0u);
}

TEST(LoopVsVectorized, WorksWithoutCotangents) {
  Case c = trials::mlp({3, 2}, 2);
  c.cotangents = {};
  EXPECT_EQ(check(loop_vs_vectorized, c, trials::Plain()).outcome, Outcome::pass);
}

TEST(LoopVsVectorized, AllowsPartsOfASumToLeaveTheRange) {
  Case c = trials::mlp({1, 1}, 4);
  c.inputs[0].data = {3e38f, 3e38f, -3e38f, -3e38f};
  c.cotangents.data = {1, 1, 1, 1};
  c.split = {{{0, 1}, 0}, {{2, 3}, 0}};
  const Registry subjects = builtin_subjects();
  for (const Subject* subject : subjects.all()) {
    if (subject->unavailable()) continue;
    const Verdict v = check(loop_vs_vectorized, c, *subject);
    EXPECT_EQ(v.outcome, Outcome::pass) << subject->name() << ": " << v.reason;
  }
}

TEST(LoopVsVectorized, AllowsTheSumOfRoundedPartsToBeRounded) {
  // 1 + 2^-3 + 2^-23: whole an fp32 number; of the first two rows, and of what is left, ties.
  Case c = trials::mlp({1, 1}, 3);
  c.inputs[0].data = {1, 1, 1};
  c.cotangents.data = {1, 0x1.00001p-4f, 0x1.00001p-4f};
  c.split = {{{0, 1}, 0}, {{2}, 0}};
  const Registry subjects = builtin_subjects();
  for (const char* name : {"reference/dd", "reference/fp64", "loops"}) {
    const Verdict v = check(loop_vs_vectorized, c, *subjects.find(name));
    EXPECT_EQ(v.outcome, Outcome::pass) << name << ": " << v.reason;
  }
}

TEST(LoopVsVectorized, AllowsSumsOverRowsOfOneUseOfAParameterToLeaveTheRange) {
  // y = w (w x), where w exchanges two features: both uses of w have x_0 or x_1 for a gradient.
  // Over all rows each of them overflows; of each row they cancel.
  Network n;
  const NodeId x = n.input(2), w = n.parameter(2, 2);
  n.output(n.linear(n.linear(x, w), w));
  Case c{std::move(n), {Tensor(2, 2)}, {Tensor(2, 2)}, Tensor(2, 2), {{{0}, 0}, {{1}, 0}}, {}};
  c.parameters[0].data = {0, 1, 1, 0};
  c.inputs[0].data = {3e38f, -3e38f, 3e38f, -2.9e38f};
  c.cotangents.data = {1, 1, 1, 1};
  const Registry subjects = builtin_subjects();
  for (const Subject* subject : subjects.all()) {
    if (subject->unavailable()) continue;
    const Verdict v = check(loop_vs_vectorized, c, *subject);
    EXPECT_EQ(v.outcome, Outcome::pass) << subject->name() << ": " << v.reason;
  }
}

TEST(LoopVsVectorized, TakesNoMaskFromAValueThatTheOutputCannotHold) {
  // In fp64 z is 2^-160: on the right side, but 0 in the fp32 output that shows it.
  Case c = trials::single_relu(0x1p-80f, 0x1p-80f);
  Network n;
  n.output(n.activation(Op::relu, n.mul(n.input(1), n.parameter(1, 1))));
  c.network = std::move(n);
  const Registry subjects = builtin_subjects();
  const Verdict v = check(loop_vs_vectorized, c, *subjects.find("reference/fp64"));
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
}

TEST(LoopVsVectorized, PassesEveryHonestSubject) {
  const Registry subjects = builtin_subjects();
  for (const Subject* subject : subjects.all()) {
    if (subject->unavailable()) continue;
    const Verdict v = check(loop_vs_vectorized, trials::mlp({9, 17, 5}, 7, Op::sigmoid), *subject);
    EXPECT_EQ(v.outcome, Outcome::pass) << subject->name() << ": " << v.reason;
    EXPECT_LE(v.share, 1) << subject->name();
  }
}

}  // namespace
}  // namespace ulpfuzz
