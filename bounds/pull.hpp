#pragma once

#include <cstddef>
#include <vector>

namespace ulpfuzz::bounds {

/// Gradients of some elements with respect to a node's, with radii: [elements, size].
struct Gradient {
  bool present = false;
  bool exact = true;  ///< all radii are 0, and `radius` is not kept
  std::vector<double> value, radius;

  void clear(std::size_t n);
  void make_inexact();
};

/// from[rows, inner] times w[inner, outer], row-major and readable beyond its end; w is exact.
struct Pull {
  std::size_t rows, inner, outer;
  const double* w;
};
/// to += from w, and the radii with |w|. `index`: scratch.
void pull(const Pull& p, const Gradient& from, Gradient& to, std::vector<std::size_t>& index);

/// Known up to `error`, each null for 1 and 0; repeat with `period`.
struct Factors {
  const double* value = nullptr;
  const double* error = nullptr;
  std::size_t period = 1;
};
/// to += from * factors, elementwise: `rows` rows of `size`.
void scale(const Gradient& from, std::size_t rows, std::size_t size, const Factors& f,
           Gradient& to);

/// bounds[o] += sum_i (|g| + R)[o, i] error[i].
void charge(const Gradient& g, const double* error, std::size_t elements, std::size_t size,
            double* bounds);
/// sums[o] += sum_i g[o, i]^2 variance[i].
void charge_squares(const Gradient& g, const double* variance, std::size_t elements,
                    std::size_t size, double* sums);
/// sums[o] += sum_i |g[o, i]| sqrt(variance[i]).
void charge_deviations(const Gradient& g, const double* variance, std::size_t elements,
                       std::size_t size, double* sums);

}  // namespace ulpfuzz::bounds
