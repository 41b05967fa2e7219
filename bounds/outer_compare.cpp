#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ulpfuzz/bounds/outer_product.hpp"
#include "vec4.hpp"

namespace ulpfuzz::bounds {
namespace {

using namespace four;
// Underflow is no matter of chance: the probabilistic bound does not speak of it.
constexpr double least_normal = 0x1p-126;

// Counts as doubles: comparisons select, because masks in integer vectors compile to scalar code.
struct Tally {
  V4 bad{}, equal{}, exact{}, sound{}, none{};
};

// min(share_tightest * min(b1, b2), share_sound * b1)
ULPFUZZ_INLINE V4 allowed(const V4& b1, const V4& b2, const RunLimits& l) {
  return min(l.share_tightest * min(b1, b2), l.share_sound * b1);
}

ULPFUZZ_INLINE V4 probable(const V4& sigma, double factor) {
  return max(factor * sigma, splat(least_normal));
}

struct Bounded {
  V4 reference, radius, sigma;
};

// live: 1 in the lanes that hold elements, else 0.
template <Comparison kind>
ULPFUZZ_INLINE void compare_block(const Bounded& o, const F4& fa, const F4& fb, const V4& live,
                                  const RunLimits& l, Tally& t) {
  constexpr bool both = kind == Comparison::paths;
  const V4 a = __builtin_convertvector(fa, V4);
  const V4 b = __builtin_convertvector(fb, V4);
  const V4 b1 = both ? 2 * o.radius : o.radius;
  const V4 b2 = probable(o.sigma, both ? l.lambda * 1.41421356237 : l.lambda);
  const V4 zero{};
  const V4 difference = abs(a - (kind == Comparison::reference ? o.reference : b));
  t.bad += difference <= allowed(b1, b2, l) ? zero : live;
  if constexpr (both) {
    const V4 off = max(abs(a - o.reference), abs(b - o.reference));
    t.bad += off <= allowed(o.radius, probable(o.sigma, l.lambda), l) ? zero : live;
  }
  V4 rest = live;
  if constexpr (kind != Comparison::reference) {
    const V4 bits = __builtin_convertvector((I4)fa ^ (I4)fb, V4);
    rest = bits == 0.0 ? zero : live;
    t.equal += live - rest;
  }
  const V4 inexact = o.radius == 0.0 ? zero : rest;
  t.exact += rest - inexact;
  const V4 judged = min(b1, b2) > 0.1 * max(abs(o.reference), splat(1)) ? zero : inexact;
  t.none += inexact - judged;
  t.sound += b1 <= b2 ? judged : zero;
}

struct Row {
  std::size_t cols;
  double g, per_size, per_error, constant, first, second;
  const double *h, *error, *deviation;
  const float *a, *b;
  const float *a_end, *b_end;  // of all rows

  Row(const OuterBounds& o, std::size_t i, const float* from_a, const float* from_b)
      : cols(o.cols),
        g(o.g[i]),
        per_size(o.per_size[i]),
        per_error(o.per_error[i]),
        constant(o.constant[i]),
        first(o.deviation_per_size[i]),
        second(o.deviation_per_deviation[i]),
        h(o.h),
        error(o.h_error),
        deviation(o.h_deviation),
        a(from_a + i * o.cols),
        b(from_b + i * o.cols),
        a_end(from_a + o.rows * o.cols),
        b_end(from_b + o.rows * o.cols) {}
};

ULPFUZZ_INLINE void load_columns(const Row& r, std::size_t j, V4& h, V4& error, V4& deviation,
                                 V4& live) {
  load(h, r.h + j);
  load(error, r.error + j);
  load(deviation, r.deviation + j);
  load(live, ones_then_zeros + lanes - std::min(lanes, r.cols - j));
}

template <Comparison kind>
ULPFUZZ_INLINE void compare_rows(const OuterBounds& o, const float* from_a, const float* from_b,
                                 const RunLimits& l, Tally& t) {
  for (std::size_t i = 0; i < o.rows; ++i) {
    const Row r(o, i, from_a, from_b);
    for (std::size_t j = 0; j < r.cols; j += lanes) {
      V4 h, error, deviation, live;
      load_columns(r, j, h, error, deviation, live);
      F4 x, y{};
      load(x, r.a + j, r.a_end);
      if constexpr (kind != Comparison::reference) load(y, r.b + j, r.b_end);
      const V4 size = abs(h);
      const V4 p = r.first * size, q = r.second * deviation;
      compare_block<kind>({r.g * h, r.per_size * size + r.per_error * error + r.constant,
                           max(p, q) + 0.5 * min(p, q)},
                          x, y, live, l, t);
    }
  }
}

// The usual case: nothing is vacuous, and nothing underflows. Zeros of another sign, which may be
// exact, count as sound.
struct Usual {
  V4 bad{}, unequal{}, sound{}, top{};
};

// The last block of a row overlaps the one before.
ULPFUZZ_INLINE bool equal_bits(const Row& r) {
  if (r.cols < lanes) return std::memcmp(r.a, r.b, r.cols * sizeof(float)) == 0;
  I4 different{};
  for (std::size_t j = 0; j < r.cols; j += lanes) {
    const std::size_t at = std::min(j, r.cols - lanes);
    I4 x, y;
    std::memcpy(&x, r.a + at, sizeof x);
    std::memcpy(&y, r.b + at, sizeof y);
    different |= x ^ y;
  }
  std::uint64_t halves[2];
  std::memcpy(halves, &different, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

// One limit serves both comparisons: that of |a - b| is at least sqrt 2 times that of |a -
// reference|, least_normal apart, which is left to the other version.
template <Comparison kind>
ULPFUZZ_INLINE void usual_rows(const OuterBounds& o, const float* from_a, const float* from_b,
                               const RunLimits& l, Usual& result) {
  constexpr bool both = kind == Comparison::paths;
  constexpr double root = both ? 1.41421356237 : 1;
  const V4 zero{};
  const V4 least = splat(least_normal / root);
  Usual t;
  for (std::size_t i = 0; i < o.rows; ++i) {
    const Row r(o, i, from_a, from_b);
    if (equal_bits(r)) continue;
    const double first = l.lambda * r.first, second = l.lambda * r.second;
    for (std::size_t j = 0; j < r.cols; j += lanes) {
      V4 h, error, deviation, live;
      load_columns(r, j, h, error, deviation, live);
      F4 x, y;
      load(x, r.a + j, r.a_end);
      load(y, r.b + j, r.b_end);
      const V4 a = __builtin_convertvector(x, V4);
      const V4 b = __builtin_convertvector(y, V4);
      const V4 size = abs(h);
      const V4 p = first * size, q = second * deviation;
      const V4 chance = max(p, q) + 0.5 * min(p, q);
      const V4 radius = r.per_size * size + r.per_error * error + r.constant;
      const V4 tightest = min(radius, chance);
      const V4 limit = min(l.share_tightest * tightest, l.share_sound * radius);
      const V4 difference = abs(a - b);
      V4 off = difference;
      if constexpr (both) {
        const V4 reference = r.g * h;
        // The second argument's NaN survives.
        off = max(max(abs(a - reference), abs(b - reference)), 0.70710678119 * difference);
      }
      t.bad += off <= limit ? zero : live;
      const V4 rest = __builtin_convertvector((I4)x ^ (I4)y, V4) == 0.0 ? zero : live;
      t.unequal += rest;
      t.sound += root * radius <= max(chance, least) ? rest : zero;
      t.top = max(t.top, tightest);
    }
  }
  result = t;
}

ULPFUZZ_CLONES void usual_elements(const OuterBounds& o, const float* a, const float* b,
                                   const RunLimits& l, Usual& t) {
  if (l.comparison == Comparison::paths) {
    usual_rows<Comparison::paths>(o, a, b, l, t);
  } else {
    usual_rows<Comparison::first>(o, a, b, l, t);
  }
}

ULPFUZZ_CLONES void all_elements(const OuterBounds& o, const float* a, const float* b,
                                 const RunLimits& l, Tally& t) {
  switch (l.comparison) {
    case Comparison::paths:
      return compare_rows<Comparison::paths>(o, a, b, l, t);
    case Comparison::first:
      return compare_rows<Comparison::first>(o, a, b, l, t);
    case Comparison::reference:
      return compare_rows<Comparison::reference>(o, a, a, l, t);
  }
}

std::uint64_t total(const V4& counts) {
  double sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += counts[l];
  return static_cast<std::uint64_t>(sum);
}

/// Passes without a look at each tier; what it does not pass may yet pass.
RunCounts compare_usual(const OuterBounds& bounds, const float* a, const float* b,
                        const RunLimits& l) {
  Usual t;
  usual_elements(bounds, a, b, l, t);
  double top = 0;
  for (std::size_t i = 0; i < lanes; ++i) top = std::fmax(top, t.top[i]);
  if (total(t.bad) != 0 || !(2 * top <= 0.1)) return {};
  const std::uint64_t unequal = total(t.unequal), sound = total(t.sound);
  return {true, bounds.rows * bounds.cols - unequal, 0, sound, unequal - sound, 0};
}

}  // namespace

RunCounts compare(const OuterBounds& bounds, const float* a, const float* b,
                  const RunLimits& limits) {
  RunLimits l = limits;
  l.share_sound = std::fmin(l.share_sound, 1);
  l.share_tightest = std::fmin(l.share_tightest, 1);
  if (l.comparison != Comparison::reference) {
    const RunCounts usual = compare_usual(bounds, a, b, l);
    if (usual.passes) return usual;
  }
  Tally t;
  all_elements(bounds, a, b, l, t);
  if (total(t.bad) != 0) return {};
  RunCounts counts{true, total(t.equal), total(t.exact), total(t.sound), 0, total(t.none)};
  counts.probable =
      bounds.rows * bounds.cols - counts.equal - counts.exact - counts.sound - counts.none;
  return counts;
}

}  // namespace ulpfuzz::bounds
