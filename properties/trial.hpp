#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "account.hpp"
#include "cause.hpp"
#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::properties {

/// What every property's check is given.
struct Trial {
  const Case& c;
  const Subject& subject;
  const CheckOptions& options;
  CheckContext& context;
};

/// Why the subject is not asked, if it is not.
std::optional<std::string> reason_to_skip(const Subject& subject, const Network& network);

Verdict skipped(std::string reason);

/// Runs `check`; faults of the subject become failing verdicts. Any other exception is no finding
/// about the subject and is let through.
Verdict guarded(const std::function<Verdict()>& check);

/// Adds the time of its scope to CheckContext::bound_seconds.
class BoundClock {
 public:
  explicit BoundClock(CheckContext& context) : context_(context) {}
  ~BoundClock() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    context_.bound_seconds += spent.count();
  }
  BoundClock(const BoundClock&) = delete;
  BoundClock& operator=(const BoundClock&) = delete;

 private:
  CheckContext& context_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// How often an alarm of the probabilistic tier must come back with other low bits.
inline constexpr int confirmations = 3;

/// How a version of the case is bounded that an alarm must come back in: deviations then count what
/// errors of one source do together.
inline constexpr bounds::AnalysisOptions confirming{.matrix_adjoint = true};

/// Settles the account's alarms: they survive if the case carries random low bits, the arithmetic
/// does not truncate, and each of three re-randomised versions exceeds B2 at the same element
/// again. `exceeds(case, alarms)` says, for such a version, which of them do.
using Exceeds = std::function<std::vector<bool>(const Case&, const std::vector<Finding>&)>;
void settle(Account& account, const Case& c, const Arithmetic& arithmetic, const Exceeds& exceeds);

/// How often a call that failed is repeated before a cause is sought in its numbers.
inline constexpr int repetitions = 4;
/// May not: the same call of a subject that claims no determinism, each within the bound.
bool repeated_differs(float first, float again, double bound);

/// Numbers of the finding as evidence; `where` and the paths are the property's to fill.
ElementEvidence evidence(const Finding& finding, const Arithmetic& arithmetic);
/// "rows 3-5", "row 2", "rows 4, 1, 1": as few words as possible.
std::string rows_in_words(const std::vector<std::uint32_t>& rows);
/// "it is 400 times as large as any order of summation, ... can make": a failing verdict's reason.
std::string reason_in_words(const Finding& finding, const Cause& cause);

}  // namespace ulpfuzz::properties
