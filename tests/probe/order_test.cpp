#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe_subjects.hpp"
#include "reveal.hpp"
#include "sum_arithmetic.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Order = Summation::Order;

struct Told {
  std::string order;
  std::size_t predicted = 0;  ///< of 64 random sums
};

Told told(const Subject& subject, const Place& place) {
  Site site(subject, place);
  SumTree tree = reveal(site, 7);
  const SumArithmetic found = measure(site, tree, 5);
  tree.fusion = found.fusion;
  return {describe(tree), count_predicted(site, tree, found, 3, 64).value_or(0)};
}

Told told(const Emulation& emulation, std::size_t k, SumKind kind = SumKind::linear_bias) {
  const Emulated subject("emulated", emulation);
  return told(subject, {.kind = kind, .k = k, .batch = 2});
}

struct Expected {
  Order order;
  std::uint32_t lanes;
  std::size_t k;
  const char* words;
};

class RevealedOrder : public ::testing::TestWithParam<Expected> {};

TEST_P(RevealedOrder, IsTheEmulatedOneAndPredictsRandomSumsBitForBit) {
  const Expected& e = GetParam();
  for (const bool fused : {false, true})
    for (const bool first : {false, true}) {
      const Told t = told(with_order(e.order, e.lanes, fused, first), e.k);
      EXPECT_EQ(t.order, std::string(e.words) + (fused ? ", FMA" : "") +
                             (first ? ", bias first" : ", bias last"));
      EXPECT_EQ(t.predicted, 64u) << t.order;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, RevealedOrder,
    ::testing::Values(Expected{Order::sequential, 1, 2, "sequential"},
                      Expected{Order::sequential, 1, 8, "sequential"},
                      Expected{Order::sequential, 1, 64, "sequential"},
                      Expected{Order::reversed, 1, 8, "sequential from the last term"},
                      Expected{Order::reversed, 1, 50, "sequential from the last term"},
                      Expected{Order::pairwise, 1, 8, "pairwise"},
                      Expected{Order::pairwise, 1, 44, "pairwise"},
                      Expected{Order::lanes, 4, 64, "4 interleaved accumulators, added pairwise"},
                      Expected{Order::lanes, 8, 30, "8 interleaved accumulators, added pairwise"},
                      Expected{Order::lanes, 8, 64, "8 interleaved accumulators, added pairwise"},
                      Expected{Order::lanes, 32, 64, "32 interleaved accumulators, added pairwise"},
                      Expected{Order::lanes, 32, 70,
                               "32 interleaved accumulators, added pairwise"}),
    [](const auto& tested) {
      return "Order" + std::to_string(static_cast<int>(tested.param.order)) + "Lanes" +
             std::to_string(tested.param.lanes) + "Terms" + std::to_string(tested.param.k);
    });

TEST(Reveal, IsTheSameForEveryKindOfSum) {
  const Emulation e = with_order(Order::lanes, 4);
  for (const SumKind kind : {SumKind::linear, SumKind::matmul, SumKind::matmul_tb,
                             SumKind::matmul_ta, SumKind::matmul_tt, SumKind::matmul_rows,
                             SumKind::outer_sum, SumKind::batch_sum, SumKind::sum_rows}) {
    const Told t = told(e, 12, kind);
    EXPECT_EQ(t.order, "4 interleaved accumulators, added pairwise") << static_cast<int>(kind);
    EXPECT_EQ(t.predicted, 64u) << static_cast<int>(kind);
  }
}

TEST(Reveal, FindsTheBlocksOfEveryMatmulUnit) {
  for (const MatmulUnit unit : {MatmulUnit{4, 24}, MatmulUnit{8, 24}, MatmulUnit{8, 25},
                                MatmulUnit{16, 25}, MatmulUnit{4, 23}}) {
    for (const Format operand : {Format::tf32, Format::fp16, Format::bf16}) {
      Arithmetic a;
      a.operand = operand;
      a.unit = unit;
      const Told t = told(with(a), 40);
      EXPECT_EQ(t.order, "blocks of " + std::to_string(unit.block) +
                             " (matmul unit), sequential, bias last");
      EXPECT_EQ(t.predicted, 64u) << unit.block << " " << unit.fraction;
      // One product is left for the last block.
      EXPECT_EQ(told(with(a), 33).predicted, 64u) << unit.block << " " << unit.fraction;
    }
  }
}

TEST(Reveal, CountsInGroupsWhereTheAccumulatorCannotCountAllTerms) {
  Arithmetic a;
  a.accumulate = Format::bf16;  // counts to 256
  a.operand = Format::bf16;
  const Told t = told(with(a), 700, SumKind::linear);
  EXPECT_EQ(t.order, "sequential");
  EXPECT_EQ(t.predicted, 64u);
}

TEST(Reveal, WorksWithinTheRangeOfFp16) {
  Arithmetic a;
  a.operand = Format::fp16;
  EXPECT_EQ(told(with(a), 64, SumKind::linear).order, "sequential");
  a.accumulate = Format::fp16;
  const Told t = told(with(a), 64, SumKind::linear);
  EXPECT_EQ(t.order, "sequential");
  EXPECT_EQ(t.predicted, 64u);
}

TEST(Reveal, SeesPartialSums) {
  Arithmetic a;
  a.partials = 4;
  a.partial = Format::fp16;
  const Told t = told(with(a), 64);
  EXPECT_EQ(t.order, "4 contiguous parts of 16 terms, added in turn, bias last");
  EXPECT_EQ(t.predicted, 64u);
}

TEST(Reveal, SeesThroughFp64Sums) {
  Arithmetic a;
  a.accumulate = Format::fp64;
  const Told t = told(with(a), 20);
  EXPECT_EQ(t.order, "sequential, bias last");
  EXPECT_EQ(t.predicted, 64u);
}

TEST(Reveal, SaysThatExactSumsHaveNoOrder) {
  const Registry registry = builtin_subjects();
  Site site(*registry.find("reference/dd"), {.k = 8});
  const SumTree tree = reveal(site, 1);
  EXPECT_FALSE(tree.revealed);
  EXPECT_THAT(describe(tree), StartsWith("could not be told"));
  EXPECT_THAT(tree.why, HasSubstr("sums are exact"));
}

TEST(Reveal, SaysThatResultsVaryFromRunToRun) {
  const Registry registry = planted_faults();
  Site site(*registry.find("fault/nondeterministic"), {.k = 8});
  EXPECT_THAT(reveal(site, 1).why, HasSubstr("from run to run"));
}

TEST(Reveal, SaysThatAnOrderThatDependsOnTheNumbersIsNoTree) {
  // Ascending for one sign of the first term, descending for the other.
  const WithLinear subject([](const float* x, const float* w, const float*, std::size_t rows,
                              std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const std::size_t at = x[r * k] > 1 ? k - 1 - i : i;
          sum += x[r * k + at] * w[j * k + at];
        }
        y[r * n + j] = sum;
      }
  });
  Site site(subject, {.k = 16});
  const SumTree tree = reveal(site, 1);
  EXPECT_FALSE(tree.revealed) << describe(tree);
  EXPECT_THAT(tree.why, HasSubstr("no"));
}

TEST(Reveal, LooksAtTheRowAndColumnThatItIsAskedAbout) {
  // Column 3 of row 1 alone is summed from the last term.
  const WithLinear subject([](const float* x, const float* w, const float*, std::size_t rows,
                              std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const std::size_t at = r == 1 && j == 3 ? k - 1 - i : i;
          sum += x[r * k + at] * w[j * k + at];
        }
        y[r * n + j] = sum;
      }
  });
  EXPECT_EQ(told(subject, {.k = 16, .batch = 2}).order, "sequential");
  EXPECT_EQ(told(subject, {.k = 16, .batch = 2, .row = 1, .column = 2}).order, "sequential");
  EXPECT_EQ(told(subject, {.k = 16, .batch = 2, .row = 1, .column = 3}).order,
            "sequential from the last term");
}

}  // namespace
}  // namespace ulpfuzz::probe
