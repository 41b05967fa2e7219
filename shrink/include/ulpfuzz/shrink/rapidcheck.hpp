#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "ulpfuzz/generators/rapidcheck.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/shrink/boundary.hpp"
#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {
namespace trial {

/// An exception of the subject is a failure like any other.
inline Verdict judge(const Property& property, const Case& c, const Subject& subject,
                     CheckContext& context) {
  Verdict verdict;
  verdict.outcome = Outcome::fail;
  try {
    return property.check(c, subject, {}, context);
  } catch (const SubjectFault& fault) {
    verdict.failure = fault.failure();
    verdict.reason = fault.what();
  } catch (const std::exception& error) {
    verdict.failure = FailureClass::exception;
    verdict.reason = error.what();
  }
  return verdict;
}

/// Discards what could not be judged; otherwise whether it failed.
inline bool failed(const Verdict& verdict) {
  if (verdict.outcome == Outcome::vacuous || verdict.outcome == Outcome::skip)
    RC_DISCARD(verdict.reason);
  return verdict.failed();
}

/// Fails the current RapidCheck test with `account`; writes the case to `keep` if given.
inline void fail(const Property& property, const Subject& subject, const Shrunk& failing,
                 std::string account, const std::string& boundary,
                 const std::filesystem::path& keep) {
  if (!keep.empty()) {
    CaseFile file{failing.value,
                  {{"property", std::string(property.name)},
                   {"subject", std::string(subject.name())},
                   {"class", std::string(name(failing.verdict.failure))},
                   {"comment", failing.verdict.reason}}};
    if (!boundary.empty()) file.notes["boundary"] = boundary;
    write_case(keep, file);
    account += "  case kept in " + std::filesystem::absolute(keep).string() + "\n";
  }
  RC_FAIL(account);
}

}  // namespace trial

/// For tests that RapidCheck drives: fails the current RapidCheck test, with an account of the
/// worst element, unless `property` holds for `c` on `subject`. A case that could not be judged is
/// discarded, so a test of nothing but vacuous cases gives up rather than passes. A failing case is
/// written to `keep` if given; after RapidCheck has shrunk it, the file holds the smallest.
inline void expect_holds(const Property& property, const Case& c, const Subject& subject,
                         const std::filesystem::path& keep = {}) {
  CheckContext context;
  const Verdict verdict = trial::judge(property, c, subject, context);
  if (trial::failed(verdict))
    trial::fail(property, subject, {c, verdict}, explain(property, c, subject, verdict), {}, keep);
}

/// For a plain TEST: the account of the kept case `file`, or why it could not be judged; empty if
/// the property holds. Throws FileError.
inline std::string replay(const Property& property, const Subject& subject,
                          const std::filesystem::path& file) {
  const Case c = read_case(file).value;
  CheckContext context;
  const Verdict verdict = trial::judge(property, c, subject, context);
  if (verdict.failed()) return explain(property, c, subject, verdict);
  return verdict.outcome == Outcome::pass ? "" : verdict.reason;
}

/// One call for a test suite: draws a random case of the kind that `property` needs, and expects
/// the property to hold. Use it as the body of an RC_GTEST_PROP. What fails is made minimal by
/// shrink(), not by RapidCheck, within seconds, and reported with where failing turns into passing.
inline void put_on_trial(const Property& property, const Subject& subject,
                         const std::filesystem::path& keep = {}) {
  const Case c = *rc::gen::noShrink(generators::any_case(
      property.needs_gradient ? generators::gradient_limits() : generators::Limits{}));
  CheckContext context;
  const Judge judge = [&](const Case& candidate) {
    return trial::judge(property, candidate, subject, context);
  };
  const Verdict first = judge(c);
  if (!trial::failed(first)) return;
  ShrinkOptions options;
  options.evaluations = 2000;
  options.seconds = 10;
  options.severe = false;
  if (!subject.deterministic() || first.failure == FailureClass::nondeterministic)
    options.confirmation = {3, 5};
  options.activations = recorder();
  const ShrinkResult r = shrink(c, judge, options);
  // A subject that does not repeat may have passed this time.
  const Shrunk minimal = r.verdict.failed() ? Shrunk{r.value, r.verdict} : Shrunk{c, first};
  BoundaryOptions short_search;
  short_search.evaluations = 200;
  short_search.seconds = 3;
  short_search.confirmation = options.confirmation;
  std::string account = explain(property, minimal.value, subject, minimal.verdict);
  std::string line;
  for (const Boundary& b : boundaries(minimal, judge, subject, short_search)) {
    account += "  " + b.what + ": " + b.text + "\n";
    line += (line.empty() ? "" : "; ") + b.what + ": " + b.text;
  }
  account += "  shrunk from " + describe(c) + " in " + std::to_string(r.evaluations) +
             " evaluations: " + std::string(name(r.stop)) + "\n";
  trial::fail(property, subject, minimal, account, line, keep);
}

}  // namespace ulpfuzz
