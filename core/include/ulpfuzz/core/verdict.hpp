#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ulpfuzz {

enum class Outcome : std::uint8_t { pass, fail, vacuous, skip };

/// Which argument judged an element, strongest first. `class_only`: not finite, so only its class
/// (NaN, +inf, -inf) was compared. `none`: no argument applies; the element is vacuous.
enum class Tier : std::uint8_t { bit_equal, exact, sound, probabilistic, class_only, none };
inline constexpr std::size_t tier_count = 6;

/// What kind of thing went wrong; the first part of a bucket.
enum class FailureClass : std::uint8_t {
  none,
  beyond_bound,        ///< a finite difference larger than the bound allows
  nonfinite_mismatch,  ///< NaN or infinity on one side, or where the reference is safely finite
  unwritten,           ///< an output element was never written
  out_of_bounds,       ///< the memory around an output was written
  not_bitwise,         ///< strict mode: bits differ
  nondeterministic,    ///< the same call twice, other bits
  fp_environment,      ///< the subject left the floating-point environment changed
  exception,
  crash,
  hang,
  out_of_memory  ///< the process grew beyond its limit, or could get no more
};

std::string_view name(Outcome);
std::string_view name(Tier);
std::string_view name(FailureClass);
/// The inverse of name(FailureClass); `none` for an unknown word.
FailureClass failure_class_from(std::string_view);

/// One element, looked at closely. Path a and path b are the two evaluations that should agree;
/// a check against the reference alone has b = the reference.
struct ElementEvidence {
  std::string where;   ///< "output[row 3][column 2]", "d output[2] / d parameter 1[0][4], row 3"
  std::string path_a;  ///< "batch of 12", "loop"
  std::string path_b;
  float a = 0;
  float b = 0;
  double reference = 0;
  double difference = 0;
  double bound = 0;
  std::uint64_t ulps = 0;
  Tier tier = Tier::none;
  double share = 0;  ///< difference / bound; infinity where the bound is 0
};

/// The answer of a property, with its evidence.
struct Verdict {
  Outcome outcome = Outcome::pass;
  FailureClass failure = FailureClass::none;
  /// Names the cause within the class: "row leak", "doubled", "tf32 operands", "unexplained".
  std::string cause;
  /// First op, in order of evaluation, at which the paths part: "linear", "tanh".
  std::string first_op;
  /// Why it is vacuous, skipped or failing, in a sentence a maintainer would accept.
  std::string reason;
  /// Largest difference / bound over the judged elements; at least 1 in a failure by bound.
  double share = 0;
  ElementEvidence worst;
  /// Elements by the tier that judged them.
  std::array<std::uint64_t, tier_count> elements{};

  bool failed() const { return outcome == Outcome::fail; }
  std::uint64_t element_count() const;
};

}  // namespace ulpfuzz
