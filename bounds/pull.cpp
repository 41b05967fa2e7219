#include "pull.hpp"

#include <algorithm>
#include <cmath>

#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

// Rows of gradients that share their loads of w.
constexpr std::size_t together = 4;

// Columns in which one of `n` rows from r on is not zero: after a relu, half of them are.
std::size_t nonzero(const Pull& p, const Gradient& from, std::size_t r, std::size_t n,
                    std::size_t* index) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < p.inner; ++j) {
    bool any = false;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t at = (r + k) * p.inner + j;
      any = any || from.value[at] != 0 || (!from.exact && from.radius[at] != 0);
    }
    index[count] = j;
    count += any;
  }
  return count;
}

template <std::size_t n, bool boxes>
ULPFUZZ_INLINE void rows_body(const Pull& p, const double* value, const double* radius,
                              const std::size_t* index, std::size_t count, double* to,
                              double* to_radius) {
  for (std::size_t i = 0; i < p.outer; i += lanes) {
    V8 sum[n] = {}, spread[n] = {};
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t j = index[t];
      V8 w;
      load(w, p.w + j * p.outer + i);
      for (std::size_t k = 0; k < n; ++k) sum[k] += value[k * p.inner + j] * w;
      if constexpr (boxes) {
        const V8 size = abs(w);
        for (std::size_t k = 0; k < n; ++k) spread[k] += radius[k * p.inner + j] * size;
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      V8 x;
      load(x, to + k * p.outer + i);
      store(to + k * p.outer + i, x + sum[k], p.outer - i);
      if constexpr (boxes) {
        load(x, to_radius + k * p.outer + i);
        store(to_radius + k * p.outer + i, x + spread[k], p.outer - i);
      }
    }
  }
}

ULPFUZZ_CLONES void exact_rows(const Pull& p, const double* value, const std::size_t* index,
                               std::size_t count, double* to) {
  rows_body<together, false>(p, value, nullptr, index, count, to, nullptr);
}
ULPFUZZ_CLONES void exact_row(const Pull& p, const double* value, const std::size_t* index,
                              std::size_t count, double* to) {
  rows_body<1, false>(p, value, nullptr, index, count, to, nullptr);
}
ULPFUZZ_CLONES void boxed_rows(const Pull& p, const double* value, const double* radius,
                               const std::size_t* index, std::size_t count, double* to,
                               double* to_radius) {
  rows_body<together, true>(p, value, radius, index, count, to, to_radius);
}
ULPFUZZ_CLONES void boxed_row(const Pull& p, const double* value, const double* radius,
                              const std::size_t* index, std::size_t count, double* to,
                              double* to_radius) {
  rows_body<1, true>(p, value, radius, index, count, to, to_radius);
}

ULPFUZZ_CLONES void scale_values(const double* from, const double* f, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += from[i] * f[i];
}
ULPFUZZ_CLONES void scale_radii(const double* from, const double* from_radius, const double* f,
                                const double* e, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] += from_radius[i] * (std::fabs(f[i]) + e[i]) + std::fabs(from[i]) * e[i];
}
ULPFUZZ_CLONES void scale_exact(const double* from, const double* e, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += std::fabs(from[i]) * e[i];
}
ULPFUZZ_CLONES void add_to(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
}

ULPFUZZ_CLONES double weighed(const double* g, const double* error, std::size_t n) {
  V8 sum{};
  blocks(
      n, [&](std::size_t i, std::size_t live) __attribute__((always_inline)) {
        V8 x, e;
        load(x, g + i);
        load(e, error + i);
        sum += select(first_lanes(live), abs(x) * e, V8{});
      });
  double total = 0;
  for (std::size_t l = 0; l < lanes; ++l) total += sum[l];
  return total;
}

bool all_zero(const double* x, std::size_t n) {
  return std::all_of(x, x + n, [](double v) { return v == 0; });
}

}  // namespace

void Gradient::clear(std::size_t n) {
  present = exact = true;
  value.assign(n + slack, 0);
}

void Gradient::make_inexact() {
  if (!exact) return;
  exact = false;
  radius.assign(value.size(), 0);
}

void pull(const Pull& p, const Gradient& from, Gradient& to, std::vector<std::size_t>& index) {
  if (index.size() < p.inner) index.resize(p.inner);
  if (!from.exact) to.make_inexact();
  std::size_t step = 1;
  for (std::size_t r = 0; r < p.rows; r += step) {
    step = r + together <= p.rows ? together : 1;
    const std::size_t count = nonzero(p, from, r, step, index.data());
    const double* value = from.value.data() + r * p.inner;
    double* sum = to.value.data() + r * p.outer;
    if (from.exact) {
      (step == 1 ? exact_row : exact_rows)(p, value, index.data(), count, sum);
      continue;
    }
    (step == 1 ? boxed_row : boxed_rows)(p, value, from.radius.data() + r * p.inner, index.data(),
                                         count, sum, to.radius.data() + r * p.outer);
  }
}

void scale(const Gradient& from, std::size_t rows, std::size_t size, const Factors& f,
           Gradient& to) {
  const std::size_t n = rows * size;
  if (!from.exact) to.make_inexact();
  if (!f.value) {
    add_to(from.value.data(), n, to.value.data());
    if (!from.exact) add_to(from.radius.data(), n, to.radius.data());
    return;
  }
  const bool known = !f.error || all_zero(f.error, f.period);
  if (!known) to.make_inexact();
  for (std::size_t i = 0; i < n; i += f.period) {
    scale_values(from.value.data() + i, f.value, f.period, to.value.data() + i);
    if (!from.exact) {
      scale_radii(from.value.data() + i, from.radius.data() + i, f.value, f.error, f.period,
                  to.radius.data() + i);
    } else if (!known) {
      scale_exact(from.value.data() + i, f.error, f.period, to.radius.data() + i);
    }
  }
}

void charge(const Gradient& g, const double* error, std::size_t elements, std::size_t size,
            double* bounds) {
  if (all_zero(error, size)) return;
  for (std::size_t o = 0; o < elements; ++o) {
    bounds[o] += weighed(g.value.data() + o * size, error, size);
    if (!g.exact) bounds[o] += weighed(g.radius.data() + o * size, error, size);
  }
}

void charge_squares(const Gradient& g, const double* variance, std::size_t elements,
                    std::size_t size, double* sums) {
  for (std::size_t o = 0; o < elements; ++o)
    for (std::size_t i = 0; i < size; ++i)
      sums[o] += g.value[o * size + i] * g.value[o * size + i] * variance[i];
}

void charge_deviations(const Gradient& g, const double* variance, std::size_t elements,
                       std::size_t size, double* sums) {
  for (std::size_t o = 0; o < elements; ++o)
    for (std::size_t i = 0; i < size; ++i)
      sums[o] += std::fabs(g.value[o * size + i]) * std::sqrt(variance[i]);
}

}  // namespace ulpfuzz::bounds
