#include <gtest/gtest.h>

#include <algorithm>

#include "support/stand_in_source.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/claiming.hpp"

namespace ulpfuzz {
namespace {

using stand_in::Control;

struct Tally {
  std::size_t passed = 0, failed = 0;
  std::string first;
};

Tally run(const Property& property, const Subject& subject, std::uint64_t cases) {
  const generators::Limits limits =
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  Tally tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case c = generators::case_from_seed(11, i, limits);
    const Verdict verdict = property.check(c, subject, {}, context);
    tally.passed += verdict.outcome == Outcome::pass;
    if (verdict.failed() && tally.failed++ == 0)
      tally.first = explain(property, c, subject, verdict);
  }
  return tally;
}

TEST(BlasClaims, RaiseNoAlarmOnTheStandInOfAnyGeneration) {
  for (const int architecture : {80, 90})
    for (const gpu::NamedBlas& profile : gpu::blas_profiles()) {
      const auto control = std::make_shared<Control>();
      control->architecture = architecture;
      const auto subject = stand_in::blas_subject(profile, control);
      for (const Property* property : properties::all()) {
        const std::uint64_t cases = property->needs_gradient ? 8 : 60;
        const Tally tally = run(*property, *subject, cases);
        EXPECT_EQ(tally.failed, 0u) << profile.name << " sm_" << architecture << "\n"
                                    << tally.first;
        EXPECT_GT(tally.passed, cases * 7 / 10) << profile.name << " " << property->name;
      }
      EXPECT_EQ(control->faults, std::vector<std::string>{}) << profile.name;
    }
}

// What rounds operands is not fp32; what only adds in other orders is.
TEST(BlasClaims, OfPlainFp32HoldForModesThatKeepOperandsAlone) {
  for (const gpu::NamedBlas& profile : gpu::blas_profiles()) {
    if (profile.settings.mode == kernels::MathMode::bf16x9) continue;
    const bool rounds = profile.settings.operand != Format::fp32 ||
                        profile.settings.mode == kernels::MathMode::tf32;
    const auto control = std::make_shared<Control>();
    const auto subject = stand_in::blas_subject(profile, control);
    const Claiming claiming(*subject, Arithmetic{});
    const Tally tally = run(properties::batched_vs_sliced, claiming, 60);
    EXPECT_EQ(tally.failed > 0, rounds) << profile.name << "\n" << tally.first;
  }
}

}  // namespace
}  // namespace ulpfuzz
