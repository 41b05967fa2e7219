#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Honest subjects raise nothing: what this finds is a wrong bound, or a subject's real fault.
namespace ulpfuzz {
namespace {

struct Tally {
  std::uint64_t passed = 0, vacuous = 0, skipped = 0;
  double share = 0;
};

Tally run(const Property& property, const Subject& subject, std::uint64_t cases) {
  const generators::Limits limits =
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
  CheckContext context;
  Tally tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case c = generators::case_from_seed(7, i, limits);
    const Verdict verdict = property.check(c, subject, {}, context);
    EXPECT_FALSE(verdict.failed()) << "case " << i << "\n"
                                   << explain(property, c, subject, verdict);
    if (verdict.outcome == Outcome::pass) ++tally.passed;
    if (verdict.outcome == Outcome::vacuous) ++tally.vacuous;
    if (verdict.outcome == Outcome::skip) ++tally.skipped;
    if (verdict.outcome == Outcome::pass) tally.share = std::max(tally.share, verdict.share);
  }
  return tally;
}

TEST(HonestSubjects, RaiseNoAlarm) {
  const Registry subjects = builtin_subjects();
  for (const Subject* subject : subjects.all()) {
    if (subject->unavailable()) continue;
    const bool slow = subject->name() == "reference/dd";
    for (const Property* property : properties::all()) {
      const std::uint64_t cases = (property->needs_gradient ? 400 : 3000) / (slow ? 10 : 1);
      const Tally tally = run(*property, *subject, cases);
      EXPECT_GT(tally.passed, cases * 8 / 10);
      EXPECT_LE(tally.share, 1);
      std::cout << fmt::format("{} {}: {} passed, {} vacuous, {} skipped, largest share {:.3f}\n",
                               subject->name(), property->name, tally.passed, tally.vacuous,
                               tally.skipped, tally.share);
    }
  }
}

}  // namespace
}  // namespace ulpfuzz
