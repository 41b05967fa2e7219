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
/// unit by which phi changes.
inline double envelope_growth(const Model& m) {
  return 16 + 2 * (m.kappa.exp + m.kappa.tanh + m.kappa.log1p);
}

struct Tanh {
  static constexpr Limits limits{1, 0.7699, 2, 2, 1};
  ElementaryAccuracy k;
  double u;
  ULPFUZZ_INLINE void operator()(const V8& z, const V8&, Jet& j) const {
    tanh(z, j.value);
    const V8 t = abs(j.value);
    j.first = 1.0 - j.value * j.value;
    j.second = -2.0 * j.value * j.first;
    j.value_envelope = max(2 * k.tanh * t, splat(k.exp + 5));
    j.first_envelope = (2.0 * t + u * j.value_envelope) * j.value_envelope + 3.0;
  }
};

ULPFUZZ_INLINE void sigmoid_envelope(const ElementaryAccuracy& k, const V8& s, V8& envelope) {
  envelope = max((2 * k.exp * (1.0 - s) + 2.0) * s, splat(k.tanh + 1));
}

struct Sigmoid {
  static constexpr Limits limits{0.25, 0.0963, 0.125, 1, 0.25};
  ElementaryAccuracy k;
  double u;
  ULPFUZZ_INLINE void operator()(const V8& z, const V8&, Jet& j) const {
    sigmoid(z, j.value);
    j.first = j.value * (1.0 - j.value);
    j.second = j.first * (1.0 - 2.0 * j.value);
    sigmoid_envelope(k, j.value, j.value_envelope);
    j.first_envelope = j.value_envelope * (1.0 + u * j.value_envelope) + 2.0;
  }
};

struct Silu {
  static constexpr Limits limits{1.09985, 0.5, 0.3082, 1e300, 1.2};
  ElementaryAccuracy k;
  double u;
  ULPFUZZ_INLINE void operator()(const V8& z, const V8& reach, Jet& j) const {
    V8 s, envelope;
    sigmoid(z, s);
    sigmoid_envelope(k, s, envelope);
    const V8 slope = s * (1.0 - s);
    j.value = z * s;
    j.first = s + z * slope;
    j.second = 2.0 * slope + z * slope * (1.0 - 2.0 * s);
    const double formulas = 2 * k.exp + 3 > k.tanh ? 2 * k.exp + 3 : k.tanh;
    j.value_envelope = reach * (formulas + 2);
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
  void operator()(const V8& z, const V8& reach, Jet& j) const;
};

}  // namespace ulpfuzz::bounds
