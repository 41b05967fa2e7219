#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>

#include "quality/layers.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "ulpfuzz/search/pool.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Each planted fault is found within a stated number of cases and shrunk to a small case.
namespace ulpfuzz {
namespace {

constexpr std::uint64_t seed = 20240229;
constexpr std::uint64_t most_cases = 2000;
constexpr std::uint64_t climbing_seed = 1;
constexpr std::uint64_t most_climbed = 60'000;

struct Planted {
  const char* fault;
  const Property* property;
  std::uint32_t batch;  ///< least that shows it
  const char* cause;
  bool bitwise = false;
};

void PrintTo(const Planted& p, std::ostream* os) { *os << p.fault; }

struct Found {
  std::uint64_t cases;
  Case value;
  Verdict verdict;
};

std::optional<Found> search(const Property& property, const Subject& subject,
                            const CheckOptions& options) {
  const generators::Limits limits =
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  for (std::uint64_t i = 0; i < most_cases; ++i) {
    Case c = generators::case_from_seed(seed, i, limits);
    const Verdict verdict = property.check(c, subject, options, context);
    if (verdict.failed()) return Found{i + 1, std::move(c), verdict};
  }
  return std::nullopt;
}

/// A small case may show too little to name the cause, but not another one.
void expect_cause(const Verdict& verdict, const std::string& cause) {
  if (verdict.cause != "unexplained") {
    EXPECT_EQ(verdict.cause, cause) << verdict.reason;
  }
}

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, IsFoundAndShrunk) {
  const Planted& p = GetParam();
  const Registry faults = planted_faults();
  const Subject* fault = faults.find(p.fault);
  ASSERT_NE(fault, nullptr);
  const std::optional<Found> found = search(*p.property, *fault, {.bitwise = p.bitwise});
  ASSERT_TRUE(found) << "not found in " << most_cases << " cases";
  GuardOptions options;
  options.evaluations = 4000;
  options.seconds = 6;
  options.check.bitwise = p.bitwise;
  const ShrinkResult shrunk = shrink_guarded(found->value, *p.property, *fault, options);
  EXPECT_EQ(shrunk.verdict.failure, found->verdict.failure);
  EXPECT_TRUE(shrunk.verdict.failed());
  EXPECT_LE(shrunk.value.batch(), p.batch);
  EXPECT_LE(quality::layers(shrunk.value.network), 2u) << describe(shrunk.value);
  expect_cause(found->verdict, p.cause);
  expect_cause(shrunk.verdict, p.cause);
  std::cout << fmt::format("{}: found after {} cases, shrunk in {} evaluations ({:.2f} s)\n{}\n",
                           p.fault, found->cases, shrunk.evaluations, shrunk.seconds,
                           explain(*p.property, shrunk.value, *fault, shrunk.verdict));
}

/// It alternates: no number of calls between a failure and its repetition may hide that.
TEST(Nondeterminism, IsNeverTakenForAFaultOfArithmetic) {
  const Registry faults = planted_faults();
  const Subject& fault = *faults.find("fault/nondeterministic");
  for (const Property* property : properties::all()) {
    const generators::Limits limits =
        property->needs_gradient ? generators::gradient_limits() : generators::Limits{};
    CheckContext context;
    int failures = 0;
    for (std::uint64_t i = 0; failures < 300; ++i) {
      ASSERT_LT(i, most_cases);
      const Case c = generators::case_from_seed(seed, i, limits);
      const Verdict verdict = property->check(c, fault, {}, context);
      if (!verdict.failed()) continue;
      ++failures;
      EXPECT_EQ(verdict.failure, FailureClass::nondeterministic)
          << "case " << i << "\n"
          << explain(*property, c, fault, verdict);
    }
  }
}

/// What random cases hardly ever show, search that climbs by shares comes to.
TEST(FaultOfFewSizesAndSigns, IsFoundByClimbingAndShrunk) {
  const Registry faults = planted_faults();
  const Subject& fault = *faults.find("fault/cuts_partial_sums");
  const Property& property = properties::batched_vs_sliced;
  CheckContext context;
  search::Pool pool;
  std::optional<Case> found;
  std::uint64_t i = 0;
  for (; i < most_climbed && !found; ++i) {
    generators::SeedSource source(climbing_seed, i);
    Case c = pool.next(source, {});
    const Verdict verdict = property.check(c, fault, {}, context);
    if (verdict.failed())
      found = std::move(c);
    else
      pool.offer(c, verdict);
  }
  ASSERT_TRUE(found) << "not found in " << most_climbed << " cases";
  GuardOptions options;
  options.evaluations = 1000;
  options.seconds = 6;
  const ShrinkResult shrunk = shrink_guarded(*found, property, fault, options);
  EXPECT_EQ(shrunk.verdict.failure, FailureClass::beyond_bound);
  EXPECT_LT(generators::complexity(shrunk.value), generators::complexity(*found));
  // Search must not have found what honest arithmetic shows, too.
  const Registry honest = builtin_subjects();
  for (const Case& c : {*found, shrunk.value})
    EXPECT_EQ(property.check(c, *honest.find("loops"), {}, context).outcome, Outcome::pass);
  std::cout << fmt::format("found after {} cases\n{}\n", i,
                           explain(property, shrunk.value, fault, shrunk.verdict));
}

constexpr const Property* forward = &properties::batched_vs_sliced;
constexpr const Property* gradient = &properties::loop_vs_vectorized;

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFault,
    testing::Values(Planted{"fault/drops_last_product", forward, 1, "last product dropped"},
                    Planted{"fault/neighbour_row", forward, 2, "row leak"},
                    Planted{"fault/wrong_transpose_when_square", forward, 1, "transposed weight"},
                    Planted{"fault/no_bias_above_1", forward, 2, "missing bias"},
                    Planted{"fault/tf32_above_8", forward, 9, "consistent with tf32 operands"},
                    Planted{"fault/doubled_reused_gradient", gradient, 2, "doubled"},
                    Planted{"fault/wrong_mask_vectorized", gradient, 2, "wrong mask"},
                    Planted{"fault/swallows_nan", forward, 1, "zero"},
                    Planted{"fault/flushes_subnormals", forward, 1,
                            "consistent with flushed subnormals"},
                    Planted{"fault/leaves_ftz_on", forward, 1, "environment left changed"},
                    Planted{"fault/unwritten_tail", forward, 2, "unwritten output"},
                    Planted{"fault/overruns", forward, 1, "overrun"},
                    Planted{"fault/nondeterministic", forward, 2, "run to run"},
                    Planted{"fault/throws_above_batch", forward, 5, "exception"},
                    Planted{"fault/lanes_above_1", forward, 2, "single row", true},
                    Planted{"fault/dropped_tail", forward, 1, "unexplained"},
                    Planted{"fault/wrong_stride_above_1", forward, 2, "unexplained"},
                    Planted{"fault/late_blocks", forward, 6, "unexplained"},
                    Planted{"fault/stale_partial_sum", forward, 2, "unexplained"},
                    Planted{"fault/tf32_beside_exception", forward, 2, "exception"},
                    Planted{"fault/bias_after_bf16", forward, 2, "consistent with bf16 operands"},
                    Planted{"fault/gradient_in_fp16", gradient, 1, "unexplained"},
                    Planted{"fault/relu_swallows_nan", forward, 2, "single row", true},
                    Planted{"fault/flushes_above_1", forward, 2, "unexplained"},
                    Planted{"fault/racing_atomics", forward, 1, "run to run", true},
                    Planted{"fault/mean_of_means", gradient, 3, "unexplained"},
                    Planted{"fault/row_mod_16", forward, 17, "unexplained"},
                    Planted{"fault/stale_without_terms", forward, 1, "unexplained"},
                    Planted{"fault/softplus_overflows", forward, 1, "unexplained"},
                    Planted{"fault/order_by_address", forward, 2, "place", true},
                    Planted{"fault/forgets_rows_beyond_16", forward, 17, "unwritten output"}),
    [](const auto& parameter) {
      std::string name = parameter.param.fault + sizeof("fault/") - 1;
      return name;
    });

}  // namespace
}  // namespace ulpfuzz
