#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evidence_support.hpp"
#include "kinks.hpp"
#include "ulpfuzz/diagnosis/hypothesis.hpp"
#include "ulpfuzz/network/derivatives.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Arithmetic tf32() {
  Arithmetic a;
  a.operand = Format::tf32;
  a.conversion = Rounding::nearest_away;
  return a;
}

/// TF32 in the products of the plan of that name.
std::vector<float> with_tf32(const Scenario& s, const std::string& where, const Summation& order) {
  const QuantityEvaluator evaluator(s.network, s.parameters, jacobian);
  Emulation emulation;
  emulation.summation = order;
  for (const Plan& plan : plans(evaluator.network(), s.network))
    if (plan.name == where) emulation.arithmetic = arithmetic_of(plan, tf32());
  EXPECT_FALSE(emulation.arithmetic.except.empty()) << where;
  return evaluate(s, jacobian, emulation);
}

/// By forward-mode differentiation, in the layout of the evidence.
std::vector<float> forward_mode(const Scenario& s) {
  Case c;
  c.network = s.network;
  c.parameters = s.parameters;
  const auto rows = static_cast<std::uint32_t>(s.rows);
  c.inputs = {Tensor(rows, static_cast<std::uint32_t>(s.x.size() / s.rows), s.x)};
  Caller caller;
  const Jacobian j = jacobian_forward(caller, Emulated("jvp", Emulation{}), c, derive(s.network));
  const Layout layout = layout_of(s.network, jacobian, s.rows);
  std::vector<float> all(s.rows * layout.row_size());
  for (const Layout::Block& block : layout.blocks)
    for (std::size_t row = 0; row < s.rows; ++row)
      for (std::size_t t = 0; t < block.shape.size(); ++t)
        for (std::size_t o = 0; o < layout.outputs; ++o)
          all[(row * layout.outputs + o) * layout.elements + block.first + t] =
              j.blocks[block.gradient][(row * block.shape.size() + t) * layout.outputs + o];
  return all;
}

TEST(Jacobian, ElementsAreNamedByRowOutputAndParameter) {
  const Scenario s = draw(3, Op::relu);
  const Layout layout = layout_of(s.network, jacobian, s.rows);
  const Shape first = layout.blocks[0].shape;
  const std::size_t bias = first.size();
  EXPECT_EQ(layout.where(layout.row_size() + layout.elements + bias + 1),
            "row 1, d output 1 / d parameter 1[0][1]");
  EXPECT_EQ(layout.where(first.cols), "row 0, d output 0 / d parameter 0[1][0]");
  EXPECT_EQ(layout_of(s.network, Quantity::outputs, s.rows).where(layout.outputs + 1),
            "row 1, output 1");
}

TEST(Jacobian, AnyOrderAndModeIsReorderingAndNeverBeyondTheBound) {
  std::size_t differing = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Scenario s = draw(seed, seed % 2 == 0 ? Op::relu : Op::tanh);
    const auto base = evaluate(s, jacobian, lanes_fused);
    for (const auto& other :
         {evaluate(s, jacobian, pairwise), forward_mode(s),
          evaluate(s, jacobian, {Summation::Order::reversed, 1, false, true})}) {
      const Explanation e = explain(s.evidence(jacobian, base, other));
      EXPECT_THAT(e.conclusion, ::testing::AnyOf(Conclusion::equal, Conclusion::reordering))
          << seed;
      EXPECT_LE(e.ratio_max, 1) << seed;
      EXPECT_EQ(e.wrong_side, "") << seed;
      differing += e.differing;
    }
  }
  EXPECT_GT(differing, 1000u);
}

TEST(Jacobian, Tf32IsNamedWithThePartsThatUseIt) {
  const char* parts[] = {"everywhere", "in the forward pass alone", "in the backward pass alone",
                         "in outer products alone", "in layer 2"};
  for (const char* part : parts) {
    Scenario s = draw(5, Op::tanh);
    const auto a = evaluate(s, jacobian, pairwise);
    const auto b = with_tf32(s, part, lanes_fused);
    const Explanation e = explain(s.evidence(jacobian, a, b));
    EXPECT_EQ(e.conclusion, Conclusion::other_cause) << part;
    ASSERT_THAT(names_of(e), Contains("tf32 rna")) << part;
    EXPECT_EQ(e.matches.front().exact, a.size()) << part;
    EXPECT_THAT(e.cause, HasSubstr(std::string(part) + ", on side b")) << e.cause;
    EXPECT_EQ(e.wrong_side, "b") << part;
  }
}

TEST(Jacobian, Tf32IsNamedFromTheDifferenceAlone) {
  Scenario s = draw(6, Op::relu);
  const auto a = evaluate(s, jacobian, pairwise);
  const auto b = with_tf32(s, "everywhere", pairwise);
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = double{a[i]} - double{b[i]};
  const Explanation e = explain(s.apart(jacobian, difference));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_THAT(names_of(e), Contains("tf32 rna"));
  EXPECT_EQ(e.wrong_side, "");
}

TEST(Jacobian, LayersAreNamedByTheWeightThatTheirProductsRead) {
  Scenario s = draw(7, Op::tanh);
  const auto a = evaluate(s, jacobian, pairwise);
  const auto b = with_tf32(s, "in layer 3", pairwise);
  const Explanation e = explain(s.evidence(jacobian, a, b));
  ASSERT_FALSE(e.matches.empty());
  EXPECT_THAT(e.matches.front().a, ElementsAre("fp32", "fp32", "fp32"));
  EXPECT_EQ(e.matches.front().b[0], "fp32");
  EXPECT_EQ(e.matches.front().b[1], "fp32");
  EXPECT_THAT(e.matches.front().b[2], HasSubstr("tf32 rn"));
}

TEST(Jacobian, InputGradientsAreJudgedToo) {
  Scenario s = draw(8, Op::tanh);
  const auto a = evaluate(s, Quantity::input_jacobian, lanes_fused);
  const auto b = evaluate(s, Quantity::input_jacobian, pairwise);
  const Explanation fine = explain(s.evidence(Quantity::input_jacobian, a, b));
  EXPECT_EQ(fine.conclusion, Conclusion::reordering);
  EXPECT_GT(fine.differing, 0u);
  EXPECT_THAT(fine.worst.where, HasSubstr("/ d input 0[0]["));
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
