#include "smooth.hpp"

#include "jets.hpp"

namespace ulpfuzz::bounds {
namespace {

// Of the part that is bounded: the function f, |f'|, and bounds of |f'|, |f''| and f's range.
struct Taylor {
  V8 value, slope, envelope;
  double steepest, bend, range;
};

template <Part part>
ULPFUZZ_INLINE void take(const Jet& jet, const Limits& limits, Taylor& f) {
  if constexpr (part == Part::value) {
    f = {jet.value, abs(jet.first), jet.value_envelope, limits.first, limits.second, limits.range};
  } else {
    f = {jet.first,     abs(jet.second), jet.first_envelope,
         limits.second, limits.third,    limits.first_range};
  }
}

// dev = |f'(z)| E + max|f''| E^2 / 2, at most max|f'| E and at most f's range, holds by Taylor's
// theorem and equals the exact image to second order.
template <Part part, class F>
ULPFUZZ_INLINE void smooth_body(const F& phi, const Value& x, Value& y, const Model& m) {
  const double growth = (part == Part::value ? 1 : 4) * envelope_growth(m);
  blocks(
      x.count(), [&](std::size_t i, std::size_t live) __attribute__((always_inline)) {
        V8 z, e, variance;
        load(z, x.value.data() + i);
        load(e, x.error.data() + i);
        load(variance, x.variance.data() + i);
        Jet jet;
        phi(z, abs(z) + e, jet);
        Taylor f;
        take<part>(jet, F::limits, f);
        V8 image = min(f.slope * e + (0.5 * f.bend) * e * e, f.steepest * e);
        image = min(image, splat(f.range));
        const V8 change = part == Part::value ? image : min(e, splat(1.0));
        const V8 local = m.u * (f.envelope + growth * change) + 4 * m.eta;
        store(y.value.data() + i, f.value, live);
        store(y.error.data() + i, (image + local) * inflation, live);
        const V8 curve = (0.5 * f.bend * least_lambda) * variance;
        store(y.variance.data() + i, f.slope * f.slope * variance + curve * curve + local * local,
              live);
        store(y.local.data() + i, local, live);
      });
}

template <class F>
ULPFUZZ_INLINE void either(const F& phi, Part part, const Value& x, Value& y, const Model& m) {
  if (part == Part::value) {
    smooth_body<Part::value>(phi, x, y, m);
  } else {
    smooth_body<Part::slope>(phi, x, y, m);
  }
}

ULPFUZZ_CLONES void tanh_rule(const Tanh& f, Part part, const Value& x, Value& y, const Model& m) {
  either(f, part, x, y, m);
}
ULPFUZZ_CLONES void sigmoid_rule(const Sigmoid& f, Part part, const Value& x, Value& y,
                                 const Model& m) {
  either(f, part, x, y, m);
}
ULPFUZZ_CLONES void silu_rule(const Silu& f, Part part, const Value& x, Value& y, const Model& m) {
  either(f, part, x, y, m);
}

}  // namespace

void smooth_rule(Op phi, Part part, const Value& x, Value& y, const Model& m) {
  const bool accurate = m.formulas == Formulas::accurate;
  const double lost = (1 + 8 * m.kappa.exp * m.u) / m.omega;
  switch (phi) {
    case Op::tanh:
      return tanh_rule({m.kappa, m.u, accurate}, part, x, y, m);
    case Op::sigmoid:
      return sigmoid_rule({m.kappa, m.u, accurate, lost}, part, x, y, m);
    case Op::silu:
      return silu_rule({m.kappa, m.u, accurate, lost}, part, x, y, m);
    case Op::gelu_erf:
      return either(GeluErf{m.kappa}, part, x, y, m);
    case Op::gelu_tanh:
      return either(GeluTanh{m.kappa, m.u}, part, x, y, m);
    default:
      return either(Softplus{m.kappa, m.u, accurate, lost}, part, x, y, m);
  }
}

}  // namespace ulpfuzz::bounds
