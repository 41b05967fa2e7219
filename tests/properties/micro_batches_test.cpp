#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "cases.hpp"
#include "ulpfuzz/subjects/emulated.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::loop_vs_vectorized;
using trials::Changed;
using trials::check;
using trials::count;

constexpr std::uint32_t width = 4;

/// The gradient of parameter 0 in a call for so many rows; null in other calls.
float* sum_over(const Evaluation& e, std::size_t rows) {
  const auto& outputs = e.network.outputs();
  if (e.batch != rows || e.network.node(outputs.back()).axis != Axis::shared) return nullptr;
  return e.outputs[1];
}

/// Six rows, cut into two, three and one.
Case in_three(Network network, unsigned seed) {
  Case c = trials::with_data(std::move(network), 6, seed);
  c.split = {{{0, 1}, 0}, {{2, 3, 4}, 0}, {{5}, 0}};
  return c;
}

/// A square parameter so many times, tanh between.
Case parameter_used(int times, unsigned seed = 1) {
  Network n;
  NodeId h = n.input(width);
  const NodeId w = n.parameter(width, width);
  for (int i = 0; i < times; ++i) h = n.activation(Op::tanh, n.linear(h, w));
  n.output(h);
  return in_three(std::move(n), seed);
}

TEST(MicroBatches, FailWhereOneOfThemIsOffHoweverOftenItsParameterIsUsed) {
  const Changed off([](const Evaluation& e) {
    if (float* y = sum_over(e, 2)) y[5] += 1e-3f;
  });
  for (int times = 1; times <= 4; ++times) {
    const Verdict v = check(loop_vs_vectorized, parameter_used(times), off);
    ASSERT_EQ(v.outcome, Outcome::fail) << times;
    EXPECT_EQ(v.failure, FailureClass::beyond_bound);
    EXPECT_EQ(v.worst.where, "batch-summed gradient of parameter 0[1][1]");
    EXPECT_THAT(v.worst.path_a + v.worst.path_b, testing::HasSubstr("the sum of 3 micro-batches"));
  }
}

// The bound of the sum is no bound of its parts, whatever share of theirs others use: gradients of
// a bias are cotangents, of one row exact and in a sum of 64 off by up to 2^-13.
TEST(MicroBatches, FailByLittleInOneOfManyBesideOthersThatUseUpTheirBounds) {
  const Case c = trials::mlp({width, width, width}, 64);
  const float first = c.inputs[0].row(40)[0];
  const auto with_part_off = [&](float by) {
    const Changed off([first, by](const Evaluation& e) {
      const auto& outputs = e.network.outputs();
      const bool reverse = outputs.size() > 1 && e.network.repeat() > 1;
      for (std::size_t i = 0; reverse && i < 64 * width * width * width; ++i)
        e.outputs[1][i] *= 1 + 0x1p-23f;
      if (sum_over(e, 1) != nullptr && e.inputs[0][0] == first) e.outputs[4][0] += by;
    });
    return check(loop_vs_vectorized, c, off);
  };
  const Verdict honest = with_part_off(0);
  EXPECT_EQ(honest.outcome, Outcome::pass) << honest.reason;
  EXPECT_GT(honest.share, 0.3);
  const Verdict v = with_part_off(2e-6f);
  ASSERT_EQ(v.outcome, Outcome::fail) << v.share << " " << honest.share;
  EXPECT_EQ(v.worst.where, "batch-summed gradient of parameter 3[0][0]");
}

TEST(MicroBatches, FailWhereOneOfThemIsNotFiniteAndMustBe) {
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF}) {
    const Changed off([wrong](const Evaluation& e) {
      if (float* y = sum_over(e, 3)) y[0] = wrong;
    });
    const Verdict v = check(loop_vs_vectorized, parameter_used(1), off);
    ASSERT_EQ(v.outcome, Outcome::fail) << wrong;
    EXPECT_EQ(v.failure, FailureClass::nonfinite_mismatch);
  }
}

TEST(MicroBatches, FailByTheCauseInTheOneThatIsOff) {
  // Of three rows doubled: the sum over all six is not.
  const Changed doubled([](const Evaluation& e) {
    float* y = sum_over(e, 3);
    for (std::uint32_t i = 0; y != nullptr && i < width * width; ++i) y[i] *= 2;
  });
  const Verdict v = check(loop_vs_vectorized, parameter_used(1), doubled);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "doubled");
}

/// Numbers of sizes from 2^-t to 2^t.
void scale(Case& c, double t, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(-t, t);
  for (Tensor* tensor : {&c.parameters[0], &c.inputs[0], &c.cotangents})
    for (float& x : tensor->data) x *= static_cast<float>(std::exp2(exponent(random)));
}

/// linear, mul and add use the parameter; no op bounds what they give.
Case unbounded_uses(int times, unsigned seed) {
  Network n;
  NodeId h = n.input(width);
  const NodeId w = n.parameter(1, width);
  for (int i = 0; i < times; ++i) h = i % 2 == 0 ? n.mul(h, w) : n.add(h, w);
  n.output(h);
  return in_three(std::move(n), seed);
}

TEST(MicroBatches, PassWhateverHonestArithmeticRoundsInThem) {
  Arithmetic plain, narrow, cut, kept;
  narrow.operand = narrow.store = Format::bf16;
  kept.keep = kept.store = Format::fp16;
  cut.operand = Format::tf32, cut.unit = matmul_units::ampere_tf32;
  cut.flushes_subnormals = true;
  std::mt19937 random(7);
  std::map<const Arithmetic*, int> passed;
  std::uint64_t judged = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int times = 1 + static_cast<int>(seed % 4);
    for (Case c : {parameter_used(times, seed), unbounded_uses(times, seed)}) {
      scale(c, seed % 3 == 0 ? 1 : seed % 3 == 1 ? 12 : 40, random);
      for (const Arithmetic* a : {&plain, &narrow, &cut, &kept}) {
        const Verdict v = check(loop_vs_vectorized, c, Emulated("honest", {.arithmetic = *a}));
        ASSERT_NE(v.outcome, Outcome::fail) << seed << ": " << v.worst.where << ": " << v.reason;
        passed[a] += v.outcome == Outcome::pass;
        judged += count(v, Tier::sound) + count(v, Tier::probabilistic);
      }
    }
  }
  EXPECT_EQ(passed.size(), 4u);
  for (const auto& [a, n] : passed) EXPECT_GT(n, 60);
  EXPECT_GT(judged, 10000u);
}

TEST(MicroBatches, SayNothingWhereTheirSumMayLeaveTheRange) {
  // Added one by one the small ones, of less than half an ulp each, are lost; together they lead
  // beyond the largest number. No row alone comes near it.
  constexpr float half = std::numeric_limits<float>::max() / 2;
  Case c = trials::mlp({1, 1}, 4);
  c.inputs[0].data = {half, half, 0.9e31f, 0.9e31f};
  c.cotangents.data = {1, 1, 1, 1};
  const Registry subjects = builtin_subjects();
  for (const char* name : {"reference/dd", "reference/fp64", "loops", "eigen"}) {
    const Verdict v = check(loop_vs_vectorized, c, *subjects.find(name));
    EXPECT_EQ(v.outcome, Outcome::pass) << name << ": " << v.reason;
  }
}

}  // namespace
}  // namespace ulpfuzz
