#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "rules.hpp"

namespace ulpfuzz::bounds {

/// Roundings as a row function counts them. The sound tier lets all n roundings of a sum conspire;
/// the probabilistic tier takes n of them as sqrt(n), and radii as standard deviations that add
/// linearly, which is more than independent ones would do.
struct Roundings {
  double u = 0;
  bool conspire = true;

  /// Of n that add up.
  double count(std::size_t n) const {
    return conspire ? static_cast<double>(n) : std::sqrt(static_cast<double>(n));
  }
  /// gamma(n + extra): relative error of a sum of n terms with `extra` more roundings each;
  /// infinite where the bound is void.
  double of_sum(std::size_t n, double extra) const {
    const double k = (count(n) + extra) * u;
    return k < 0.5 ? k / (1 - k) : std::numeric_limits<double>::infinity();
  }
};

/// One feature row of an operand: values and their radii (or deviations).
struct RowView {
  const double* value;
  const double* radius;
  std::size_t n;
};

/// Calls body(row offset in y, sound?) on rows of finite operands, and marks the others unknown.
inline bool all_finite(const Value& x, std::size_t at, std::size_t n) {
  if (x.clean) return true;
  for (std::size_t i = 0; i < n; ++i)
    if (x.state[at + i] != State::finite) return false;
  return true;
}

inline void mark_unknown(Value& y, std::size_t at, std::size_t n) {
  y.make_dirty();
  for (std::size_t i = 0; i < n; ++i) {
    y.value[at + i] = y.error[at + i] = y.variance[at + i] = y.local[at + i] = 0;
    y.state[at + i] = State::unknown;
  }
}

inline void deviations_of(const Value& x, std::size_t at, std::size_t n, std::vector<double>& to) {
  to.resize(std::max(to.size(), n));
  for (std::size_t i = 0; i < n; ++i) to[i] = std::sqrt(x.variance[at + i]);
}

/// Radii that are finite make a row usable.
inline bool usable(const double* radius, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (!(radius[i] < 1e300)) return false;
  return true;
}

}  // namespace ulpfuzz::bounds
