#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "quality/layers.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"

/// A campaign against one planted fault ends in few buckets, of which the largest has the right
/// name, and in small cases.
namespace ulpfuzz {
namespace {

constexpr std::uint64_t cases_of_each = 600;
constexpr std::size_t most_buckets = 4;  // of a property

struct Named {
  const char* fault;
  const char* property;
  const char* cause;
  std::uint32_t batch;  ///< least that shows it
};

void PrintTo(const Named& p, std::ostream* os) { *os << p.fault << " " << p.property; }

class Buckets : public testing::TestWithParam<Named> {};

TEST_P(Buckets, AreFewWellNamedAndSmall) {
  const Named& p = GetParam();
  const auto out = std::filesystem::temp_directory_path() /
                   fmt::format("ulpfuzz-buckets-{}-{}", getpid(), p.property);
  std::filesystem::remove_all(out);
  CampaignOptions options;
  options.subjects = {p.fault};
  options.properties = {p.property};
  options.seed = 11;
  options.cases = cases_of_each;
  options.out = out;
  options.shrink_seconds = 10;
  const CampaignResult r = run_campaign(options, planted_faults());
  ASSERT_FALSE(r.buckets.empty());
  EXPECT_LE(r.buckets.size(), most_buckets);
  EXPECT_EQ(r.buckets.front().cause, p.cause);
  EXPECT_GE(10 * r.buckets.front().count, 9 * r.verdicts.at("fail"));
  for (const Bucket& b : r.buckets) {
    // Only products of large numbers overflow.
    const std::size_t most_layers = b.failure_class == "nonfinite_mismatch" ? 4 : 2;
    const Case c = read_case(b.case_file).value;
    EXPECT_LE(quality::layers(c.network), most_layers) << b.id << ": " << describe(c);
    EXPECT_LE(c.batch(), p.batch) << b.id << ": " << describe(c);
  }
  std::filesystem::remove_all(out);
}

constexpr const char* batched = "batched_vs_sliced";
constexpr const char* looped = "loop_vs_vectorized";
constexpr const char* tf32 = "consistent with tf32 operands";

INSTANTIATE_TEST_SUITE_P(
    All, Buckets,
    testing::Values(Named{"fault/neighbour_row", batched, "row leak", 2},
                    Named{"fault/neighbour_row", looped, "row leak", 2},
                    Named{"fault/drops_last_product", batched, "last product dropped", 1},
                    Named{"fault/drops_last_product", looped, "last product dropped", 1},
                    Named{"fault/wrong_transpose_when_square", batched, "transposed weight", 1},
                    Named{"fault/wrong_transpose_when_square", looped, "transposed weight", 1},
                    Named{"fault/no_bias_above_1", batched, "missing bias", 2},
                    Named{"fault/no_bias_above_1", looped, "missing bias", 2},
                    Named{"fault/tf32_above_8", batched, tf32, 9},
                    Named{"fault/tf32_above_8", looped, tf32, 9},
                    Named{"fault/doubled_reused_gradient", looped, "doubled", 2},
                    Named{"fault/wrong_mask_vectorized", looped, "wrong mask", 2}));

}  // namespace
}  // namespace ulpfuzz
