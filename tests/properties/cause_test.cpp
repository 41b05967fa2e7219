#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

#include "cases.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::batched_vs_sliced;
using properties::loop_vs_vectorized;
using trials::Changed;
using trials::check;

std::size_t size_of(const Evaluation& e, std::size_t o) {
  const Node& node = e.network.node(e.network.outputs()[o]);
  return e.network.entries(node, e.batch) * node.shape.size();
}

Verdict scaled(float factor) {
  const Changed off([factor](const Evaluation& e) {
    if (e.batch < 2) return;
    for (std::size_t i = 0; i < size_of(e, 0); ++i) e.outputs[0][i] *= factor;
  });
  return check(batched_vs_sliced, trials::mlp({5, 7, 3}, 6), off);
}

TEST(Cause, NamesFactors) {
  EXPECT_EQ(scaled(2).cause, "doubled");
  EXPECT_EQ(scaled(0.5f).cause, "halved");
  EXPECT_EQ(scaled(-1).cause, "sign flipped");
  EXPECT_EQ(scaled(6).cause, "times the batch size");
  EXPECT_EQ(scaled(1.0f / 6).cause, "divided by the batch size");
  EXPECT_EQ(scaled(0).cause, "zero");
  EXPECT_EQ(scaled(3).cause, "unexplained");
}

Verdict changed_row(const std::vector<std::uint32_t>& widths, auto change) {
  const Changed off([&change](const Evaluation& e) {
    if (e.batch > 1) change(e.outputs[0]);
  });
  const Verdict v = check(batched_vs_sliced, trials::mlp(widths, 6), off);
  EXPECT_EQ(v.failure, FailureClass::beyond_bound);
  return v;
}

TEST(Cause, NamesARowOfAnotherRow) {
  const Verdict v = changed_row({5, 7, 3}, [](float* y) { std::copy_n(y, 3, y + 3); });
  EXPECT_EQ(v.cause, "row leak");
}

TEST(Cause, NamesNeighbourElements) {
  const Verdict v = changed_row({5, 7, 4}, [](float* y) { std::copy_n(y + 5, 3, y + 4); });
  EXPECT_EQ(v.cause, "neighbour element");
}

TEST(Cause, OnlySuggestsWhatTwoElementsShow) {
  const Verdict v = changed_row({5, 7, 3}, [](float* y) { std::copy_n(y, 2, y + 3); });
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, testing::HasSubstr("looks like: row leak"));
}

TEST(Cause, NamesNothingThatOneFailingElementContradicts) {
  const Verdict v = changed_row({5, 7, 5}, [](float* y) {
    std::copy_n(y, 4, y + 5);
    y[9] += 1;
  });
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, testing::Not(testing::HasSubstr("looks like")));
}

TEST(Cause, NamesNothingThatEqualRowsMakeACoincidence) {
  // Twice the same element is one piece of evidence.
  Case c = trials::mlp({3, 4}, 3);
  for (std::uint32_t r = 1; r < 4; ++r) {
    std::copy_n(c.parameters[0].row(0).data(), 3, c.parameters[0].row(r).data());
    c.parameters[1].row(0)[r] = c.parameters[1].row(0)[0];
  }
  const Changed off([](const Evaluation& e) {
    for (int i = 0; i < 4 && e.batch > 1; ++i) e.outputs[0][i] *= 2;
  });
  const Verdict v = check(batched_vs_sliced, c, off);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, testing::HasSubstr("looks like: doubled"));
}

TEST(Cause, NamesNoPrecisionForASlipInOneRow) {
  const Verdict v = changed_row({5, 7, 8}, [](float* y) {
    for (int i = 0; i < 8; ++i) y[i] *= 1 + 0x1p-12f;
  });
  EXPECT_EQ(v.cause, "unexplained");
}

TEST(Cause, NamesNothingForNoiseBeyondAllFormats) {
  const Verdict v = changed_row({5, 7, 8}, [](float* y) {
    for (int i = 0; i < 48; ++i) y[i] += 0.5f + 0.01f * static_cast<float>(i % 7);
  });
  EXPECT_EQ(v.cause, "unexplained");
}

TEST(Cause, DoesNotTakeAReluThatIsOffForAMissingResult) {
  Network n;
  n.output(n.activation(Op::relu, n.input(8)));
  const Case c = trials::with_data(std::move(n), 4);
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) std::fill_n(e.outputs[0], size_of(e, 0), 0.0f);
  });
  const Verdict v = check(batched_vs_sliced, c, off);
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, testing::HasSubstr("relu off or zero"));
}

TEST(Cause, DoesNotChooseBetweenTwoExplanations) {
  // Without its bias a layer of zero weights gives zero, as one that is not computed at all does.
  Case c = trials::mlp({3, 5}, 4);
  std::fill(c.parameters[0].data.begin(), c.parameters[0].data.end(), 0.0f);
  const Changed off([](const Evaluation& e) {
    if (e.batch > 1) std::fill_n(e.outputs[0], size_of(e, 0), 0.0f);
  });
  const Verdict v = check(batched_vs_sliced, c, off);
  EXPECT_EQ(v.cause, "unexplained");
  EXPECT_THAT(v.reason, testing::HasSubstr("looks like: missing bias or zero"));
}

struct Named {
  const char* fault;
  const char* cause;
  const char* first_op;
};

class PlantedCause : public testing::TestWithParam<Named> {};

TEST_P(PlantedCause, IsNamedWithTheFirstOp) {
  const Registry faults = planted_faults();
  const Subject* fault = faults.find(GetParam().fault);
  ASSERT_NE(fault, nullptr);
  const Verdict v = check(batched_vs_sliced, trials::mlp({6, 6, 4}, 10), *fault);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, GetParam().cause);
  EXPECT_EQ(v.first_op, GetParam().first_op);
}

INSTANTIATE_TEST_SUITE_P(
    Forward, PlantedCause,
    testing::Values(Named{"fault/drops_last_product", "last product dropped", "linear"},
                    Named{"fault/neighbour_row", "row leak", "linear"},
                    Named{"fault/wrong_transpose_when_square", "transposed weight", "linear"},
                    Named{"fault/no_bias_above_1", "missing bias", "linear"},
                    Named{"fault/tf32_above_8", "consistent with tf32 operands", "linear"},
                    Named{"fault/unwritten_tail", "unwritten output", ""},
                    Named{"fault/overruns", "overrun", ""},
                    Named{"fault/leaves_ftz_on", "environment left changed", ""},
                    Named{"fault/nondeterministic", "run to run", ""},
                    Named{"fault/throws_above_batch", "exception", ""}));

TEST(Cause, NamesASwallowedNanByItsOp) {
  const Registry faults = planted_faults();
  Case c = trials::mlp({4, 2}, 3);
  std::fill(c.inputs[0].data.begin(), c.inputs[0].data.end(), std::bit_cast<float>(0x7fc00000u));
  const Verdict v = check(batched_vs_sliced, c, *faults.find("fault/swallows_nan"));
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::nonfinite_mismatch);
  EXPECT_EQ(v.first_op, "linear");
}

TEST(Cause, NamesFlushedSubnormals) {
  const Registry faults = planted_faults();
  Case c = trials::mlp({4, 2}, 3);
  for (float& x : c.inputs[0].data) x *= 0x1p-130f;
  std::fill(c.parameters[1].data.begin(), c.parameters[1].data.end(), 0.0f);
  const Verdict v = check(batched_vs_sliced, c, *faults.find("fault/flushes_subnormals"));
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "zero");
}

TEST(Cause, NamesAWrongMaskInTheVectorizedGradient) {
  const Registry faults = planted_faults();
  const Verdict v = check(loop_vs_vectorized, trials::mlp({4, 6, 3}, 3, Op::relu),
                          *faults.find("fault/wrong_mask_vectorized"));
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "wrong mask");
  EXPECT_EQ(v.first_op, "derivative of relu");
}

TEST(Cause, NamesADoubledGradient) {
  Network n;
  const NodeId weight = n.parameter(3, 3);
  n.output(n.linear(n.activation(Op::tanh, n.linear(n.input(3), weight)), weight));
  const Registry faults = planted_faults();
  const Verdict v = check(loop_vs_vectorized, trials::with_data(std::move(n), 3),
                          *faults.find("fault/doubled_reused_gradient"));
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "doubled");
}

}  // namespace
}  // namespace ulpfuzz
