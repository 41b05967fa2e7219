#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evidence_support.hpp"
#include "kinks.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::diagnosis {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// 4 - width - 3 with relu; `near` of the units of row 0 have a z within rounding of 0.
Scenario near_kinks(std::uint32_t width, std::size_t near, std::uint64_t seed = 1) {
  namespace build = examples::build;
  Scenario s;
  const NodeId x = s.network.input(4);
  s.network.output(build::dense(
      s.network, s.network.activation(Op::relu, build::dense(s.network, x, width)), 3));
  s.rows = 2;
  fill(s, seed);
  for (std::size_t j = 0; j < near; ++j) {
    double z = 0;
    for (std::size_t i = 0; i < 4; ++i) z += double{s.parameters[0].row(j)[i]} * double{s.x[i]};
    s.parameters[1].data[j] = static_cast<float>(-z);
  }
  return s;
}

/// The Jacobian with these slopes of the units of row 0, the others as they are.
std::vector<float> with_slopes(const Scenario& s, const std::vector<float>& first) {
  KinkJudge judge(s.network, s.parameters, {});
  const float* inputs[] = {s.x.data()};
  std::vector<float> slopes = first;
  const RowKinks row = judge.judge(row_inputs(s.network, inputs, 1));
  slopes.insert(slopes.end(), row.slopes[0].begin(), row.slopes[0].end());
  const Layout layout = layout_of(s.network, jacobian, 1);
  const Network gradient = vjp(s.network, static_cast<std::uint32_t>(layout.outputs));
  const QuantityEvaluator evaluator(s.network, with_slopes_as_inputs(gradient, s.network).network,
                                    s.parameters, jacobian);
  const float* more[] = {slopes.data()};
  return evaluator.evaluate(Emulated("masks", Emulation{}), inputs, s.rows, more);
}

std::vector<float> slopes_of_row_0(const Scenario& s) {
  KinkJudge judge(s.network, s.parameters, {});
  const float* inputs[] = {s.x.data()};
  return judge.judge(row_inputs(s.network, inputs, 0)).slopes[0];
}

TEST(Masks, SlopesAsInputsGiveTheSameJacobian) {
  const Scenario s = near_kinks(5, 0);
  EXPECT_EQ(with_slopes(s, slopes_of_row_0(s)), evaluate(s, jacobian, Emulation{}));
}

TEST(Masks, ThatRoundingDecidesAreNoFault) {
  Scenario s = near_kinks(5, 1);
  std::vector<float> on = slopes_of_row_0(s), off = on;
  on[0] = 1;
  off[0] = 0;
  const Explanation e = explain(s.evidence(jacobian, with_slopes(s, on), with_slopes(s, off)));
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_GT(e.difference_max, 1e-3);
  EXPECT_EQ(e.wrong_side, "");
  EXPECT_THAT(e.notes, Contains(AllOf(HasSubstr("the mask of unit 0 of relu 0 in row 0 differs"),
                                      HasSubstr("no fault"))));
}

TEST(Masks, ThatRoundingDecidesAreNoFaultOfADifferenceEither) {
  Scenario s = near_kinks(5, 1);
  std::vector<float> on = slopes_of_row_0(s), off = on;
  on[0] = 1;
  off[0] = 0;
  const auto a = with_slopes(s, on), b = with_slopes(s, off);
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = double{a[i]} - double{b[i]};
  const Explanation e = explain(s.apart(jacobian, d));
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_THAT(e.notes, Contains(HasSubstr("the mask of unit 0 of relu 0 in row 0 differs")));
}

TEST(Masks, AFlipBesideAnUndecidedUnitIsStillAFault) {
  Scenario s = near_kinks(5, 1);
  std::vector<float> wrong = slopes_of_row_0(s);
  const auto right = with_slopes(s, wrong);
  wrong[3] = 1 - wrong[3];
  const Explanation e = explain(s.evidence(jacobian, right, with_slopes(s, wrong)));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_EQ(e.wrong_side, "b");
  EXPECT_THAT(names_of(e), Contains("wrong mask"));
}

/// z = 0 exactly: PyTorch's relu takes the slope 0, max(x, 0) of some libraries 1/2.
TEST(Masks, AtATieEverySlopeBetweenIsRight) {
  Scenario s = near_kinks(5, 0);
  for (float& w : s.parameters[0].row(2)) w = 0;
  s.parameters[1].data[2] = 0;
  std::vector<float> none = slopes_of_row_0(s), half = none;
  none[2] = 0;
  half[2] = 0.5f;
  // Row 1 has the tie too; there both took 0.
  const Explanation e = explain(s.evidence(jacobian, with_slopes(s, none), with_slopes(s, half)));
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_THAT(e.notes, Contains(AllOf(HasSubstr("the slope of unit 2"), HasSubstr("its z is 0"))));
}

TEST(Masks, OfManyUndecidedUnitsAreFoundOneByOne) {
  Scenario s = near_kinks(12, 9);
  std::vector<float> a = slopes_of_row_0(s), b = a;
  for (std::size_t j = 0; j < 9; ++j) {
    a[j] = j % 2 == 0 ? 1.0f : 0.0f;
    b[j] = j % 3 == 0 ? 1.0f : 0.0f;
  }
  const auto ja = with_slopes(s, a), jb = with_slopes(s, b);
  const Explanation e = explain(s.evidence(jacobian, ja, jb));
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_EQ(std::count_if(e.notes.begin(), e.notes.end(),
                          [](const std::string& n) { return n.find("the mask of unit") == 0; }),
            4);  // 2, 3, 4 and 8
}

TEST(Masks, OfManyUndecidedUnitsInADifferenceAreCoveredByWiderBounds) {
  Scenario s = near_kinks(12, 9);
  std::vector<float> a = slopes_of_row_0(s), b = a;
  for (std::size_t j = 0; j < 9; ++j) b[j] = 1 - b[j];
  const auto ja = with_slopes(s, a), jb = with_slopes(s, b);
  std::vector<double> d(ja.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = double{ja[i]} - double{jb[i]};
  const Explanation e = explain(s.apart(jacobian, d));
  EXPECT_LE(e.ratio_max, 1);
  EXPECT_THAT(e.notes, Contains(HasSubstr("masks could not be told")));
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
