#pragma once

#include <filesystem>
#include <string>

#include "ulpfuzz/generators/rapidcheck.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {

/// For tests that RapidCheck drives: fails the current RapidCheck test, with an account of the
/// worst element, unless `property` holds for `c` on `subject`. A case that could not be judged is
/// discarded, so a test of nothing but vacuous cases gives up rather than passes. A failing case is
/// written to `keep` if given; after shrinking the file holds the smallest.
inline void expect_holds(const Property& property, const Case& c, const Subject& subject,
                         const std::filesystem::path& keep = {}) {
  CheckContext context;
  const Verdict verdict = property.check(c, subject, {}, context);
  if (verdict.outcome == Outcome::vacuous || verdict.outcome == Outcome::skip)
    RC_DISCARD(verdict.reason);
  if (!verdict.failed()) return;
  std::string account = explain(property, c, subject, verdict);
  if (!keep.empty()) {
    write_case(keep, {.value = c,
                      .notes = {{"property", std::string(property.name)},
                                {"subject", std::string(subject.name())},
                                {"class", std::string(name(verdict.failure))},
                                {"comment", verdict.reason}}});
    account += "  case kept in " + std::filesystem::absolute(keep).string() + "\n";
  }
  RC_FAIL(account);
}

/// For a plain TEST: the account of the kept case `file`, or why it could not be judged; empty if
/// the property holds. Throws FileError.
inline std::string replay(const Property& property, const Subject& subject,
                          const std::filesystem::path& file) {
  const Case c = read_case(file).value;
  CheckContext context;
  const Verdict verdict = property.check(c, subject, {}, context);
  if (verdict.failed()) return explain(property, c, subject, verdict);
  return verdict.outcome == Outcome::pass ? "" : verdict.reason;
}

/// One call for a test suite: draws a random case of the kind that `property` needs, and expects
/// the property to hold. Use it as the body of an RC_GTEST_PROP.
inline void put_on_trial(const Property& property, const Subject& subject,
                         const std::filesystem::path& keep = {}) {
  const Case c = *generators::any_case(property.needs_gradient ? generators::gradient_limits()
                                                               : generators::Limits{});
  expect_holds(property, c, subject, keep);
}

}  // namespace ulpfuzz
