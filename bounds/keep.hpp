#pragma once

#include "ulpfuzz/core/arithmetic.hpp"
#include "value.hpp"

namespace ulpfuzz::bounds {

/// Radius and deviation in which the probabilistic tier looks for rounding boundaries: lambda(1).
inline constexpr double straddle_lambda = 6.5447;

/// q(x) for x within `radius` of `value`, q rounding to `format`; q is monotone, so the image of
/// the box is that of its ends. `error` is 0 unless the box straddles a rounding boundary.
struct Straddle {
  double value, error;
};
Straddle straddle(double value, double radius, Format format, Rounding rounding);

/// An element of a result, before and after one more rounding.
struct Element {
  double value, error, local, deviation;
};

/// One more rounding to nearest of results that may not fit `format`: of every op (Arithmetic's
/// `keep`) or of outputs (`store`).
struct Narrowing {
  bool active = false;
  /// The reference is rounded as well, so that a result errs only where its box straddles a
  /// rounding boundary (docs/bounds.md, "Conditional bounds").
  bool conditional = false;
  Format format = Format::fp32;
  double u = 0, eta = 0, least = 0, omega = 0, overflow = 0;  ///< least: what may be flushed

  void round(Element& x) const;
};

/// Inactive where everything that `arithmetic` computes fits `format` anyway.
Narrowing narrowing_to(Format format, const Arithmetic& arithmetic, bool conditional);
/// Is every number of `inner` one of `outer`?
bool fits(Format inner, Format outer);

/// State of a finite element that was rounded; where it is known, the error arrays become 0.
State state_of_rounded(double& value, double& error, double& deviation, double& local,
                       const Narrowing& to);

/// Rounds all of y: errors, variances, local errors, grids and states.
void keep_rule(Value& y, const Narrowing& to);

}  // namespace ulpfuzz::bounds
