#include <cmath>
#include <cstring>

#include "ulpfuzz/bounds/outer_product.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

using F8 = float __attribute__((vector_size(32)));
using I32x8 = int __attribute__((vector_size(32)));

// Underflow is no matter of chance: the probabilistic bound does not speak of it.
constexpr double least_normal = 0x1p-126;

ULPFUZZ_INLINE void load(F8& v, const float* p, const float* end) {
  if (p + lanes <= end) {
    std::memcpy(&v, p, sizeof v);
  } else {
    v = F8{};
    for (std::size_t l = 0; p + l < end; ++l) v[l] = p[l];
  }
}

struct Tally {
  I8 bad{}, equal{}, exact{}, sound{}, none{};
};

// min(share_tightest * min(b1, b2), share_sound * b1)
ULPFUZZ_INLINE V8 allowed(const V8& b1, const V8& b2, const RunLimits& l) {
  return min(l.share_tightest * min(b1, b2), l.share_sound * b1);
}

ULPFUZZ_INLINE V8 probable(const V8& sigma, double factor) {
  return max(factor * sigma, splat(least_normal));
}

struct Bounded {
  V8 reference, radius, sigma;
};

template <Comparison kind>
ULPFUZZ_INLINE void compare_block(const Bounded& o, const F8& fa, const F8& fb, const I8& live,
                                  const RunLimits& l, Tally& t) {
  constexpr bool both = kind == Comparison::paths;
  const V8 a = __builtin_convertvector(fa, V8);
  const V8 b = __builtin_convertvector(fb, V8);
  const V8 b1 = both ? 2 * o.radius : o.radius;
  const V8 b2 = probable(o.sigma, both ? l.lambda * 1.41421356237 : l.lambda);
  t.bad |=
      live & ~(abs(a - (kind == Comparison::reference ? o.reference : b)) <= allowed(b1, b2, l));
  if constexpr (both) {
    const V8 off = max(abs(a - o.reference), abs(b - o.reference));
    t.bad |= live & ~(off <= allowed(o.radius, probable(o.sigma, l.lambda), l));
  }
  const I8 equal =
      kind == Comparison::reference ? I8{} : __builtin_convertvector((I32x8)fa == (I32x8)fb, I8);
  const I8 exact = o.radius == 0;
  const I8 vacuous = min(b1, b2) > 0.1 * max(abs(o.reference), splat(1));
  const I8 counted = live & ~equal & ~exact;
  t.equal -= live & equal;
  t.exact -= live & ~equal & exact;
  t.none -= counted & vacuous;
  t.sound -= counted & ~vacuous & (b1 <= b2);
}

template <Comparison kind>
ULPFUZZ_INLINE void compare_rows(const OuterBounds& o, const float* a, const float* b,
                                 const RunLimits& l, Tally& t) {
  const float* a_end = a + o.rows * o.cols;
  const float* b_end = b + o.rows * o.cols;
  for (std::size_t i = 0; i < o.rows; ++i) {
    const double g = o.g[i], per_size = o.per_size[i], per_error = o.per_error[i];
    const double constant = o.constant[i];
    const double first = o.deviation_per_size[i], second = o.deviation_per_deviation[i];
    for (std::size_t j = 0; j < o.cols; j += lanes) {
      V8 h, error, deviation;
      bounds::load(h, o.h + j);
      bounds::load(error, o.h_error + j);
      bounds::load(deviation, o.h_deviation + j);
      F8 x, y{};
      load(x, a + i * o.cols + j, a_end);
      if constexpr (kind != Comparison::reference) load(y, b + i * o.cols + j, b_end);
      const V8 size = abs(h);
      const V8 p = first * size, q = second * deviation;
      compare_block<kind>(
          {g * h, per_size * size + per_error * error + constant, max(p, q) + 0.5 * min(p, q)}, x,
          y, first_lanes(o.cols - j), l, t);
    }
  }
}

ULPFUZZ_CLONES void compare_paths(const OuterBounds& o, const float* a, const float* b,
                                  const RunLimits& l, Tally& t) {
  compare_rows<Comparison::paths>(o, a, b, l, t);
}
ULPFUZZ_CLONES void compare_first(const OuterBounds& o, const float* a, const float* b,
                                  const RunLimits& l, Tally& t) {
  compare_rows<Comparison::first>(o, a, b, l, t);
}
ULPFUZZ_CLONES void compare_reference(const OuterBounds& o, const float* a, const float* b,
                                      const RunLimits& l, Tally& t) {
  compare_rows<Comparison::reference>(o, a, b, l, t);
}

std::uint64_t total(const I8& counts) {
  long long sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += counts[l];
  return static_cast<std::uint64_t>(sum);
}

}  // namespace

RunCounts compare(const OuterBounds& bounds, const float* a, const float* b,
                  const RunLimits& limits) {
  RunLimits l = limits;
  l.share_sound = std::fmin(l.share_sound, 1);
  l.share_tightest = std::fmin(l.share_tightest, 1);
  Tally t;
  switch (l.comparison) {
    case Comparison::paths:
      compare_paths(bounds, a, b, l, t);
      break;
    case Comparison::first:
      compare_first(bounds, a, b, l, t);
      break;
    case Comparison::reference:
      compare_reference(bounds, a, a, l, t);
      break;
  }
  if (any(t.bad)) return {};
  RunCounts counts{true, total(t.equal), total(t.exact), total(t.sound), 0, total(t.none)};
  counts.probable =
      bounds.rows * bounds.cols - counts.equal - counts.exact - counts.sound - counts.none;
  return counts;
}

}  // namespace ulpfuzz::bounds
