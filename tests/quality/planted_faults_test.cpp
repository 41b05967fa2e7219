#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <optional>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/runner/shrink.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Each planted fault is found within a stated number of cases and shrunk to a small case.
namespace ulpfuzz {
namespace {

constexpr std::uint64_t seed = 20240229;
constexpr std::uint64_t most_cases = 2000;

struct Planted {
  const char* fault;
  const Property* property;
  std::uint32_t batch;  ///< at most, after shrinking
};

void PrintTo(const Planted& p, std::ostream* os) { *os << p.fault; }

struct Found {
  std::uint64_t cases;
  Case value;
  Verdict verdict;
};

std::optional<Found> search(const Property& property, const Subject& subject) {
  const generators::Limits limits =
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  for (std::uint64_t i = 0; i < most_cases; ++i) {
    Case c = generators::case_from_seed(seed, i, limits);
    const Verdict verdict = property.check(c, subject, {}, context);
    if (verdict.failed()) return Found{i + 1, std::move(c), verdict};
  }
  return std::nullopt;
}

/// Ops that compute: what a person would call layers.
std::size_t layers(const Network& network) {
  std::size_t count = 0;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::input && node.op != Op::parameter && node.op != Op::reshape) ++count;
  }
  return count;
}

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, IsFoundAndShrunk) {
  const Planted& p = GetParam();
  const Registry faults = planted_faults();
  const Subject* fault = faults.find(p.fault);
  ASSERT_NE(fault, nullptr);
  const std::optional<Found> found = search(*p.property, *fault);
  ASSERT_TRUE(found) << "not found in " << most_cases << " cases";
  ShrinkOptions options;
  options.evaluations = 4000;
  options.seconds = 6;
  const ShrinkResult shrunk = shrink(found->value, *p.property, *fault, options);
  EXPECT_EQ(shrunk.verdict.failure, found->verdict.failure);
  EXPECT_TRUE(shrunk.verdict.failed());
  EXPECT_LE(shrunk.value.batch(), p.batch);
  EXPECT_LE(layers(shrunk.value.network), 3u) << describe(shrunk.value);
  std::cout << fmt::format("{}: found after {} cases, shrunk in {} evaluations ({:.2f} s)\n{}\n",
                           p.fault, found->cases, shrunk.evaluations, shrunk.seconds,
                           explain(*p.property, shrunk.value, *fault, shrunk.verdict));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFault,
    testing::Values(Planted{"fault/drops_last_product", &properties::batched_vs_sliced, 1},
                    Planted{"fault/neighbour_row", &properties::batched_vs_sliced, 2},
                    Planted{"fault/wrong_transpose_when_square", &properties::batched_vs_sliced, 1},
                    Planted{"fault/no_bias_above_1", &properties::batched_vs_sliced, 2},
                    Planted{"fault/tf32_above_8", &properties::batched_vs_sliced, 9},
                    Planted{"fault/doubled_reused_gradient", &properties::loop_vs_vectorized, 2},
                    Planted{"fault/wrong_mask_vectorized", &properties::loop_vs_vectorized, 2},
                    Planted{"fault/swallows_nan", &properties::batched_vs_sliced, 1},
                    Planted{"fault/flushes_subnormals", &properties::batched_vs_sliced, 1},
                    Planted{"fault/leaves_ftz_on", &properties::batched_vs_sliced, 1},
                    Planted{"fault/unwritten_tail", &properties::batched_vs_sliced, 2},
                    Planted{"fault/overruns", &properties::batched_vs_sliced, 1},
                    Planted{"fault/nondeterministic", &properties::batched_vs_sliced, 2},
                    Planted{"fault/throws_above_batch", &properties::batched_vs_sliced, 5}),
    [](const auto& parameter) {
      std::string name = parameter.param.fault + sizeof("fault/") - 1;
      return name;
    });

}  // namespace
}  // namespace ulpfuzz
