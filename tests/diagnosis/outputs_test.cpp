#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine.hpp"
#include "evidence_support.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

const Hypothesis& hypothesis(const std::string& name) {
  for (const Hypothesis& h : hypotheses())
    if (h.name == name) return h;
  throw std::invalid_argument(name);
}

/// Three layers with so many values that no two arithmetics give the same ones.
Scenario wide(std::uint64_t seed) {
  Scenario s;
  NodeId h = s.network.input(20);
  for (int l = 0; l < 2; ++l)
    h = s.network.activation(Op::relu, examples::build::dense(s.network, h, 24));
  s.network.output(examples::build::dense(s.network, h, 12));
  fill(s, seed);
  return s;
}

/// Outputs with the layers of `pattern` computed by a hypothesis.
std::vector<float> outputs(const Scenario& s, const std::string& name, std::uint64_t pattern,
                           const Summation& order) {
  Emulation e;
  e.arithmetic = layered(s.network, s.network, hypothesis(name), pattern);
  e.summation = order;
  return evaluate(s, Quantity::outputs, e);
}

struct PublicReport {
  NetworkFile network =
      read_network(std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/public/jax-vmap/network.json");
  std::vector<float> x =
      read_npy<float>(std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/public/jax-vmap/x.npy").data;
  std::vector<double> difference;
  const float* input = x.data();

  PublicReport() {
    const auto d = read_npy<float>(std::string(ULPFUZZ_SOURCE_DIR) +
                                   "/corpus/public/jax-vmap/reported_difference.npy");
    difference.assign(d.data.begin(), d.data.end());
  }
  Evidence evidence() const {
    return {network.network,
            network.parameters,
            10,
            {&input, 1},
            Quantity::outputs,
            {},
            {},
            difference,
            {},
            10,
            10000};
  }
};

// The difference that was published as "expected fp32 reordering".
TEST(PublicJaxReport, IsTf32InAllLayersButTheFirstOfOneSide) {
  const PublicReport report;
  const Explanation e = explain(report.evidence());
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_EQ(e.verdict, "not fp32 reordering");
  EXPECT_EQ(e.cause,
            "layer 1 fp32 on one side, TF32 everywhere else, tensor-core accumulation (Ada model), "
            "inputs rounded to nearest away");
  EXPECT_THAT(e.remedy, HasSubstr("jax_default_matmul_precision=\"highest\""));
  ASSERT_FALSE(e.matches.empty());
  const Match& best = e.matches.front();
  EXPECT_THAT(best.a, ElementsAre("fp32", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_THAT(best.b, ElementsAre("tf32 rna ada", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_EQ(best.exact, 20u);
  EXPECT_EQ(best.residual_rms, 0);
  EXPECT_GT(e.ratio_max, 100);
  EXPECT_LT(e.reorder_bound_max, 2e-6);
}

// No conversion there meets a tie, so that both ways to round to nearest give the same bits.
TEST(PublicJaxReport, CannotTellRoundingOfTiesAndNothingElse) {
  const Explanation e = explain(PublicReport().evidence());
  std::vector<std::string> named;
  for (const Match& m : e.matches) named.push_back(m.hypothesis);
  EXPECT_THAT(named, ElementsAre("tf32 rna ada", "tf32 rne ada"));
}

TEST(PublicJaxReport, IsWhatXlaDoesAtTheseBatchSizesAndWithinTheConditionalBound) {
  const PublicReport report;
  const Explanation e = explain(report.evidence());
  EXPECT_THAT(e.notes, Contains(HasSubstr("batch sizes 10 and 10000 explain the layers: XLA")));
  EXPECT_THAT(e.notes, Contains(HasSubstr("every value lies within its sound bound")));
  Evidence other = report.evidence();
  other.batch_a = 40;
  EXPECT_THAT(explain(other).notes, Not(Contains(HasSubstr("XLA"))));
}

TEST(ExplainOutputs, TwoOrdersAreReordering) {
  Scenario s = draw(3, Op::tanh);
  const auto a = outputs(s, "fp32", 0, pairwise), b = outputs(s, "fp32", 0, lanes_fused);
  const Explanation e = explain(s.evidence(Quantity::outputs, a, b));
  ASSERT_GT(e.differing, 0u);
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_EQ(e.matches.front().hypothesis, "fp32");
  EXPECT_EQ(e.matches.front().exact, a.size());
  EXPECT_LE(e.ratio_max, 1);
  EXPECT_EQ(e.wrong_side, "");
}

TEST(ExplainOutputs, EqualResultsThatAreBothWrongAreStillNamed) {
  Scenario s = wide(4);
  const auto y = outputs(s, "bf16", 7, pairwise);
  const Explanation e = explain(s.evidence(Quantity::outputs, y, y));
  EXPECT_EQ(e.differing, 0u);
  EXPECT_EQ(e.wrong_side, "both");
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_THAT(e.matches.front().a, ElementsAre("bf16", "bf16", "bf16"));
  EXPECT_THAT(e.cause, HasSubstr("bf16 operands in all layers on both sides"));
}

TEST(ExplainOutputs, SaysWhichSideIsWrongAndInWhichLayer) {
  Scenario s = wide(5);
  const auto a = outputs(s, "fp32", 0, pairwise), b = outputs(s, "tf32 rz", 2, lanes_fused);
  const Explanation e = explain(s.evidence(Quantity::outputs, a, b));
  EXPECT_EQ(e.wrong_side, "b");
  EXPECT_THAT(e.matches.front().b, ElementsAre("fp32", "tf32 rz", "fp32"));
  EXPECT_EQ(e.cause, "TF32 in layer 2 on side b, fp32 everywhere else, inputs truncated");
}

TEST(ExplainOutputs, WhatNothingGivesIsUnexplained) {
  Scenario s = draw(6, Op::tanh);
  auto a = outputs(s, "fp32", 0, pairwise);
  const auto b = a;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += 0.1f * std::sin(static_cast<float>(i) + 1);
  const Explanation e = explain(s.evidence(Quantity::outputs, a, b));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_THAT(e.cause, HasSubstr("unexplained"));
  EXPECT_TRUE(e.unexplained);
}

TEST(ExplainOutputs, NanOnOneSideIsNoReordering) {
  Scenario s = draw(7, Op::tanh);
  auto a = outputs(s, "fp32", 0, pairwise);
  const auto b = a;
  a[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(explain(s.evidence(Quantity::outputs, a, b)).conclusion, Conclusion::other_cause);
}

TEST(ExplainOutputs, RefusesEvidenceOfAnotherSize) {
  Scenario s = draw(8, Op::tanh);
  const auto a = outputs(s, "fp32", 0, pairwise);
  const std::vector<float> fewer(a.begin(), a.end() - 1);
  EXPECT_THROW(explain(s.evidence(Quantity::outputs, a, fewer)), std::invalid_argument);
  EXPECT_THROW(explain(s.apart(Quantity::outputs, std::vector<double>(3))), std::invalid_argument);
  Evidence none = s.evidence(Quantity::outputs, a, a);
  none.a = none.b = {};
  EXPECT_THROW(explain(none), std::invalid_argument);
}

/// More layers than are searched exhaustively.
Scenario deep() {
  Scenario s;
  NodeId h = s.network.input(7);
  for (int l = 0; l < 7; ++l)
    h = s.network.activation(Op::tanh, examples::build::dense(s.network, h, 9));
  s.network.output(h);
  fill(s, 11);
  return s;
}

TEST(ExplainOutputs, FindsLayersOfDeepNetworksOneByOne) {
  Scenario s = deep();
  const auto a = outputs(s, "tf32 rna ada", 0b0101101, pairwise);
  const auto b = outputs(s, "tf32 rna ada", 0b0100100, lanes_fused);
  const auto fp = "fp32", tf = "tf32 rna ada";
  const Explanation both = explain(s.evidence(Quantity::outputs, a, b));
  EXPECT_THAT(both.matches, Contains(Field(&Match::a, ElementsAre(tf, fp, tf, tf, fp, tf, fp))));
  EXPECT_THAT(both.matches, Contains(Field(&Match::b, ElementsAre(fp, fp, tf, fp, fp, tf, fp))));
  EXPECT_EQ(both.matches.front().exact, a.size());
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = double{a[i]} - double{b[i]};
  const Explanation alone = explain(s.apart(Quantity::outputs, d));
  EXPECT_THAT(alone.matches, Contains(Field(&Match::a, ElementsAre(tf, fp, tf, tf, fp, tf, fp))));
  EXPECT_EQ(alone.matches.front().exact, a.size());
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
