#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "evidence_support.hpp"
#include "ulpfuzz/network/case_file.hpp"

/// The report of PyTorch issue 1144 (functorch), and sums in general.
namespace ulpfuzz::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// 784-20-10, two digits; the reporter's weights are not known, these are PyTorch's default.
Scenario torch_report() {
  const Case c = read_case(std::filesystem::path(ULPFUZZ_SOURCE_DIR) /
                           "corpus/seeds/torch-jacobian-mlp.case.json")
                     .value;
  Scenario s;
  s.network = c.network;
  s.parameters = c.parameters;
  s.x = c.inputs[0].data;
  s.rows = c.batch();
  return s;
}

Explanation explain_sum(Scenario& s, double sum) {
  s.inputs = {s.x.data()};
  return explain({s.network, s.parameters, s.rows, s.inputs, jacobian, {}, {}, {}, sum, 0, 0});
}

/// The number that a note with `words` gives as a factor: "..., 1.6e+05 times more: excluded".
double factor_in(const Explanation& e, const std::string& words) {
  for (const std::string& note : e.notes) {
    const auto end = note.find(" times more: excluded");
    if (note.find(words) != 0 || end == std::string::npos) continue;
    return std::strtod(note.c_str() + note.rfind(' ', end - 1) + 1, nullptr);
  }
  return 0;
}

TEST(TorchReport, SumIsConsistentWithReorderingAndTf32IsExcluded) {
  Scenario s = torch_report();
  const Explanation e = explain_sum(s, 1.4e-5);
  EXPECT_EQ(e.elements, 2u * 10 * 15910);
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_EQ(e.verdict, "consistent with fp32 reordering");
  EXPECT_EQ(names_of(e), std::vector<std::string>{"fp32"});
  EXPECT_THAT(e.cause, HasSubstr("TF32 excluded"));
  EXPECT_THAT(factor_in(e, "tf32 rna in the forward pass alone"),
              ::testing::AllOf(::testing::Ge(300), ::testing::Le(5000)));
  EXPECT_THAT(factor_in(e, "tf32 rna everywhere"),
              ::testing::AllOf(::testing::Ge(1e5), ::testing::Le(1e6)));
}

TEST(TorchReport, OnlyTheLastWeightsCanDifferInTenEqualCopies) {
  Scenario s = torch_report();
  const Explanation e = explain_sum(s, 1.4e-5);
  EXPECT_THAT(e.notes,
              Contains(::testing::AllOf(
                  HasSubstr("only gradients by parameter 2 differ, in at most 400 elements"),
                  HasSubstr("in 10 equal copies"),
                  HasSubstr("those by parameter 0, parameter 1, parameter 3 are equal"))));
}

TEST(TorchReport, TheArraysThemselvesAreReorderingToo) {
  Scenario s = torch_report();
  const auto a = evaluate(s, jacobian, lanes_fused);
  const auto b = evaluate(s, jacobian, {Summation::Order::lanes, 32, false, false});
  const Explanation e = explain(s.evidence(jacobian, a, b));
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_EQ(e.wrong_side, "");
  EXPECT_THAT(e.worst.where, HasSubstr("/ d parameter 2["));
  EXPECT_GT(e.differing, 0u);
  EXPECT_LE(e.differing, 400u);
}

TEST(AbsoluteSum, OfAnotherArithmeticIsNotReordering) {
  Scenario s = torch_report();
  const auto a = evaluate(s, jacobian, pairwise);
  const QuantityEvaluator evaluator(s.network, s.parameters, jacobian);
  Emulation emulation;
  emulation.arithmetic.everywhere.operand = Format::tf32;
  const auto b = evaluate(s, jacobian, emulation);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(double{a[i]} - double{b[i]});
  const Explanation e = explain_sum(s, sum);
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_GT(e.ratio_max, 1);
  EXPECT_THAT(names_of(e), Contains("tf32 rne"));
  EXPECT_THAT(names_of(e), ::testing::Not(Contains("fp32")));
}

TEST(AbsoluteSum, AboveWhatOrdersGiveButBelowTheBoundIsSuspicious) {
  Scenario s = torch_report();
  const Explanation e = explain_sum(s, 0.014);  // TF32 in the forward pass alone
  EXPECT_EQ(e.conclusion, Conclusion::suspicious);
  EXPECT_LT(e.ratio_max, 1);
  EXPECT_THAT(names_of(e), Contains("tf32 rna"));
}

TEST(AbsoluteSum, OfZeroIsEqual) {
  Scenario s = torch_report();
  EXPECT_EQ(explain_sum(s, 0).conclusion, Conclusion::equal);
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
