#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/shrink/boundary.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

/// What must be said of the minimal case of a planted fault.
struct Planted {
  const char* fault;
  const Property* property;
  const char* what;
  const char* text;  ///< begins so
};

void PrintTo(const Planted& p, std::ostream* out) { *out << p.fault << ": " << p.text; }

class PlantedBoundary : public ::testing::TestWithParam<Planted> {};

// From a random failing case: shrunk, then looked around.
TEST_P(PlantedBoundary, IsNamed) {
  const Planted& planted = GetParam();
  const Registry faults = planted_faults();
  const Subject& subject = *faults.find(planted.fault);
  CheckContext context;
  const Judge judge = [&](const Case& c) {
    return planted.property->check(c, subject, {}, context);
  };
  const generators::Limits limits =
      planted.property->needs_gradient ? generators::gradient_limits() : generators::Limits{};
  ShrinkResult least;
  for (std::uint64_t i = 0; i < 500 && !least.verdict.failed(); ++i)
    least = shrink(generators::case_from_seed(7, i, limits), judge);
  ASSERT_TRUE(least.verdict.failed());
  std::string all;
  for (const Boundary& b : boundaries({least.value, least.verdict}, judge, subject))
    all += b.what + ": " + b.text + "\n";
  EXPECT_THAT(all, ::testing::HasSubstr(std::string(planted.what) + ": " + planted.text));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PlantedBoundary,
    ::testing::Values(Planted{"fault/tf32_above_8", &properties::batched_vs_sliced, "batch",
                              "fails from batch 9 on"},
                      Planted{"fault/neighbour_row", &properties::batched_vs_sliced, "rows",
                              "row b gets the result of row b - 1: the last row"},
                      Planted{"fault/row_mod_16", &properties::batched_vs_sliced, "rows",
                              "row b gets the result of row b mod 16"},
                      Planted{"fault/row_mod_16", &properties::batched_vs_sliced, "batch",
                              "fails from batch 17 on"},
                      Planted{"fault/wrong_stride_above_1", &properties::batched_vs_sliced, "rows",
                              "row b gets the result of row 0"},
                      Planted{"fault/forgets_rows_beyond_16", &properties::batched_vs_sliced,
                              "rows", "rows from 16 on left unwritten"},
                      Planted{"fault/dropped_tail", &properties::batched_vs_sliced,
                              "inner dimension of linear 2", "fails where K mod 4 is 3"},
                      Planted{"fault/stale_without_terms", &properties::batched_vs_sliced,
                              "inner dimension of linear 2", "fails at K = 0 alone"},
                      Planted{"fault/wrong_transpose_when_square", &properties::batched_vs_sliced,
                              "inner dimension of linear 2", "fails at K = 2 alone"},
                      Planted{"fault/throws_above_batch", &properties::batched_vs_sliced, "batch",
                              "fails from batch 5 on"},
                      Planted{"fault/softplus_overflows", &properties::batched_vs_sliced,
                              "input 0[0][0]", "fails from 0x1.62cccep+6 (88.7000046) on"},
                      Planted{"fault/mean_of_means", &properties::loop_vs_vectorized, "batch",
                              "fails where batch mod 2 is 1"}),
    [](const auto& of) {
      std::string name = std::string(of.param.fault) + "_" + of.param.what;
      std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
      return name;
    });

}  // namespace
}  // namespace ulpfuzz
