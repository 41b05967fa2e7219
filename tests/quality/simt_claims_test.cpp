#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string_view>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/claiming.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Each simt profile under its own claim, and judged as if it claimed plain fp32: those that only
/// reorder sums pass, those that use TF32 are soon caught.
namespace ulpfuzz {
namespace {

constexpr std::uint64_t claims_seed = 7;

bool converts(const Subject& subject) { return subject.arithmetic().operand != Format::fp32; }

struct Seen {
  std::uint64_t cases = 0, passed = 0, failed = 0;
  std::optional<std::uint64_t> first;  ///< that failed
  Verdict failure;
};

Seen judge(const Property& property, const Subject& subject, std::uint64_t cases) {
  const generators::Limits limits =
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  Seen seen;
  for (; seen.cases < cases; ++seen.cases) {
    const Case c = generators::case_from_seed(claims_seed, seen.cases, limits);
    const Verdict verdict = property.check(c, subject, {}, context);
    seen.passed += verdict.outcome == Outcome::pass;
    seen.failed += verdict.failed();
    if (!verdict.failed() || seen.first) continue;
    seen.first = seen.cases;
    seen.failure = verdict;
    seen.failure.reason = explain(property, c, subject, verdict);
  }
  return seen;
}

/// Of a claim: the functions of a subject are its own.
void each_profile(const auto& body) {
  const Registry registry = builtin_subjects();
  int profiles = 0, converting = 0;
  for (const Subject* subject : registry.all()) {
    if (!subject->name().starts_with("simt/")) continue;
    ++profiles;
    converting += converts(*subject);
    for (const Property* property : properties::all()) body(*property, *subject);
  }
  EXPECT_GE(profiles, 4);
  EXPECT_GE(converting, 2);
}

TEST(SimtClaims, OfEveryProfileHold) {
  each_profile([](const Property& property, const Subject& subject) {
    const std::uint64_t cases = property.needs_gradient ? 100 : 500;
    const Seen seen = judge(property, subject, cases);
    EXPECT_EQ(seen.failed, 0u) << seen.failure.reason;
    EXPECT_GT(seen.passed, cases * 8 / 10) << subject.name() << " " << property.name;
  });
}

TEST(SimtClaims, OfFp32HoldForTheProfilesThatReorderAndNotForThoseThatConvert) {
  each_profile([](const Property& property, const Subject& subject) {
    const Claiming fp32(subject, with_functions_of(subject, Arithmetic{}));
    const std::uint64_t cases = property.needs_gradient ? 100 : 300;
    const Seen seen = judge(property, fp32, cases);
    if (!converts(subject)) {
      EXPECT_EQ(seen.failed, 0u) << seen.failure.reason;
      return;
    }
    ASSERT_TRUE(seen.first) << subject.name() << " " << property.name;
    EXPECT_LT(*seen.first, 20u) << subject.name() << " " << property.name;
    EXPECT_GT(seen.failed, cases / 4) << subject.name() << " " << property.name;
    EXPECT_EQ(seen.failure.failure, FailureClass::beyond_bound) << seen.failure.reason;
    std::cout << fmt::format("{} {} as fp32: caught at case {}, {} of {}, {}\n", subject.name(),
                             property.name, *seen.first, seen.failed, cases, seen.failure.cause);
  });
}

}  // namespace
}  // namespace ulpfuzz
