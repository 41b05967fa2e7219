#pragma once

#include "activation_math.hpp"
#include "model.hpp"
#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz::bounds {

/// Value and two derivatives of an activation at z, with what the rounding of the usual formulas
/// for the value and for the first derivative may come to in units of u: envelopes, `reach` = |z| +
/// E.
struct Jet {
  V8 value, first, second;
  V8 value_envelope, first_envelope;
};

/// Largest |phi'|, |phi''|, |phi'''| anywhere, and the size of phi's range where it is finite.
struct Limits {
  double first, second, third, range, first_range;
};

/// An envelope is taken at z; over the box of radius E it grows by at most this many u for each
/// unit by which phi changes. What grows with the argument of exp is taken over the whole box.
inline double envelope_growth(const Model& m) {
  return 16 + 2 * (m.kappa.exp + m.kappa.tanh + m.kappa.log1p);
}

// What exp_per_unit adds where exp's argument appears as: 2 |z| in tanh, |z| in the sigmoid, and
// z^2 / 2 in gelu'. Largest values of 2 |z| (1 - t^2), 2 |z| s (1 - s), 2 |z| e^-|z| and |z|^3
// times the normal density.
inline constexpr double per_unit_tanh = 0.9, per_unit_sigmoid = 0.45, per_unit_elu = 0.74,
                        per_unit_gelu = 0.47;

struct Tanh {
  static constexpr Limits limits{1, 0.7699, 2, 2, 1};
  ElementaryAccuracy k;
  double u;
  bool accurate;  ///< Formulas::accurate
  ULPFUZZ_INLINE void operator()(const V8& z, const V8&, Jet& j) const {
    tanh(z, j.value);
    const V8 t = abs(j.value);
    j.first = 1.0 - j.value * j.value;
    j.second = -2.0 * j.value * j.first;
    j.value_envelope = 2 * k.tanh * t;
    if (!accurate)
      j.value_envelope = max(j.value_envelope, splat(k.exp + 5 + per_unit_tanh * k.exp_per_unit));
    j.first_envelope = (2.0 * t + u * j.value_envelope) * j.value_envelope + 3.0;
  }
};

// Where e^-z overflows, 1 / (1 + e^-z) is 0, and off by s, which is then at most `lost`, 1 / the
// overflow threshold. In units of u.
ULPFUZZ_INLINE V8 lost_sigmoid(double lost, double u, const V8& s, const V8& radius) {
  return min(splat(lost), s + 0.25 * radius) / u;
}

// radius: of z's box.
ULPFUZZ_INLINE void sigmoid_envelope(const ElementaryAccuracy& k, bool accurate, const V8& s,
                                     const V8& reach, const V8& radius, V8& envelope) {
  envelope = (2 * k.exp * (1.0 - s) + 2.0) * s;
  if (accurate) {
    envelope += min(splat(per_unit_sigmoid * k.exp_per_unit),
                    (2 * k.exp_per_unit) * reach * (s + 0.25 * radius));
  } else {
    envelope = max(envelope + per_unit_sigmoid * k.exp_per_unit, splat(k.tanh + 1));
  }
}

struct Sigmoid {
  static constexpr Limits limits{0.25, 0.0963, 0.125, 1, 0.25};
  ElementaryAccuracy k;
  double u;
  bool accurate;
  double lost;
  ULPFUZZ_INLINE void operator()(const V8& z, const V8& reach, Jet& j) const {
    sigmoid(z, j.value);
    j.first = j.value * (1.0 - j.value);
    j.second = j.first * (1.0 - 2.0 * j.value);
    const V8 radius = reach - abs(z);
    sigmoid_envelope(k, accurate, j.value, reach, radius, j.value_envelope);
    if (accurate) j.value_envelope += lost_sigmoid(lost, u, j.value, radius);
    j.first_envelope = j.value_envelope * (1.0 + u * j.value_envelope) + 2.0;
  }
};

struct Silu {
  static constexpr Limits limits{1.09985, 0.5, 0.3082, 1e300, 1.2};
  ElementaryAccuracy k;
  double u;
  bool accurate;
  double lost;
  ULPFUZZ_INLINE void operator()(const V8& z, const V8& reach, Jet& j) const {
    V8 s, envelope;
    sigmoid(z, s);
    const V8 radius = reach - abs(z);
    sigmoid_envelope(k, accurate, s, reach, radius, envelope);
    const V8 slope = s * (1.0 - s);
    j.value = z * s;
    j.first = s + z * slope;
    j.second = 2.0 * slope + z * slope * (1.0 - 2.0 * s);
    const double by_exp = 2 * k.exp + 3 + per_unit_sigmoid * k.exp_per_unit;
    j.value_envelope = reach * ((by_exp > k.tanh ? by_exp : k.tanh) + 2);
    if (accurate) {
      const V8 rest = min(1.0 - s + 0.25 * radius, splat(1.0));
      j.value_envelope =
          (2 * k.exp * rest + 3.0) * abs(j.value) +
          (2 * k.exp_per_unit) * reach * rest * (abs(j.value) + limits.first * radius) +
          reach * lost_sigmoid(lost, u, s, radius);
    }
    j.first_envelope = reach + 4.0 + (1.0 + reach) * envelope * (1.0 + u * envelope);
  }
};

struct GeluErf {
  static constexpr Limits limits{1.129, 0.7979, 0.7788, 1e300, 1.259};
  ElementaryAccuracy k;
  void operator()(const V8& z, const V8& reach, Jet& j) const;
};

struct GeluTanh {
  static constexpr Limits limits{1.12905, 0.7979, 0.7768, 1e300, 1.259};
  ElementaryAccuracy k;
  double u;
  void operator()(const V8& z, const V8& reach, Jet& j) const;
};

struct Softplus {
  static constexpr Limits limits{1, 0.25, 0.0963, 1e300, 1};
  ElementaryAccuracy k;
  double u;
  bool accurate;
  double lost;
  void operator()(const V8& z, const V8& reach, Jet& j) const;
};

}  // namespace ulpfuzz::bounds
