#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shrink/judges.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Real failures of planted faults. Numbers of evaluations do not depend on the machine: they guard
/// against schedules that become wasteful.
namespace ulpfuzz {
namespace {

struct Fault {
  const char* subject;
  const Property* property;
  bool bitwise;
  std::uint64_t evaluations;  ///< of four starts: measured, and half as many again
  std::uint32_t batch;        ///< of each result
};

void PrintTo(const Fault& f, std::ostream* os) { *os << f.subject; }

class RealFault : public testing::TestWithParam<Fault> {
 protected:
  static constexpr std::uint64_t seed = 20240229;
  static constexpr unsigned starts = 4;
};

TEST_P(RealFault, IsReducedToItsCoreInFewEvaluations) {
  const Fault& f = GetParam();
  const Registry faults = planted_faults();
  const Subject* subject = faults.find(f.subject);
  ASSERT_NE(subject, nullptr);
  const auto limits =
      f.property->needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  CheckOptions check;
  check.bitwise = f.bitwise;
  const Judge judge = [&](const Case& c) { return f.property->check(c, *subject, check, context); };
  ShrinkOptions options;
  options.activations = recorder();
  std::uint64_t evaluations = 0;
  unsigned found = 0;
  for (std::uint64_t i = 0; found < starts && i < 400; ++i) {
    const Case c = generators::case_from_seed(seed, i, limits);
    if (!judge(c).failed()) continue;
    ++found;
    const ShrinkResult r = shrink(c, judge, options);
    SCOPED_TRACE(fmt::format("case {}: {} -> {}", i, describe(c), describe(r.value)));
    evaluations += r.evaluations;
    EXPECT_EQ(r.stop, ShrinkStop::fixed_point);
    EXPECT_TRUE(same_failure(r.before, r.verdict));
    EXPECT_TRUE(same_failure(r.before, judge(r.value))) << "it fails again";
    EXPECT_EQ(r.value.batch(), f.batch);
    EXPECT_LE(r.value.network.nodes().size(), 4u);
    EXPECT_TRUE(certify(r.value, r.before, judge, options).minimal());
  }
  EXPECT_EQ(found, starts);
  EXPECT_LE(evaluations, f.evaluations);
}

constexpr const Property* forward = &properties::batched_vs_sliced;
constexpr const Property* gradient = &properties::loop_vs_vectorized;
INSTANTIATE_TEST_SUITE_P(
    Shrink, RealFault,
    testing::Values(Fault{"fault/drops_last_product", forward, false, 190, 1},
                    Fault{"fault/neighbour_row", forward, false, 430, 2},
                    Fault{"fault/no_bias_above_1", forward, false, 250, 2},
                    Fault{"fault/wrong_transpose_when_square", forward, false, 990, 1},
                    Fault{"fault/tf32_above_8", forward, false, 1450, 9},
                    Fault{"fault/lanes_above_1", forward, true, 2400, 2},
                    Fault{"fault/drops_last_product", gradient, false, 195, 1}));

}  // namespace
}  // namespace ulpfuzz
