#pragma once

#include <algorithm>

#include "soundness/numbers.hpp"
#include "soundness/style.hpp"
#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bench {

/// Elementary functions that use what an arithmetic lets them err.
template <class N>
class Functions {
 public:
  Functions(const Style& style, const Arithmetic& how, Random& random)
      : style_(style), how_(how), random_(random) {}

  N exp(N x) const {
    return off([&](auto v) { return std::exp(v); }, x, exp_ulps(x));
  }
  N exp2(N x) const {
    return off([&](auto v) { return std::exp2(v); }, x, exp_ulps(x));
  }
  N expm1(N x) const {
    return off([&](auto v) { return std::expm1(v); }, x, how_.elementary.exp);
  }
  N tanh(N x) const {
    return off([&](auto v) { return std::tanh(v); }, x, how_.elementary.tanh);
  }
  N erf(N x) const {
    return off([&](auto v) { return std::erf(v); }, x, how_.elementary.erf);
  }
  N log1p(N x) const {
    return off([&](auto v) { return std::log1p(v); }, x, how_.elementary.log1p);
  }
  N log(N x) const {
    return off([&](auto v) { return std::log(v); }, x, how_.elementary.log1p);
  }
  N rsqrt(N x) const {
    return off([&](auto v) { return 1 / std::sqrt(v); }, x, how_.elementary.rsqrt);
  }

 private:
  double exp_ulps(N x) const {
    return how_.elementary.exp + how_.elementary.exp_per_unit * std::fabs(wide(x));
  }

  template <class F>
  N off(const F& f, N x, double ulps) const {
    if constexpr (is_single<N>) {
      return N(moved(f(wide(x)), ulps));
    } else {
      return f(x);
    }
  }

  // The number farthest from `exact` to the side of the style that is at most `ulps` away.
  double moved(double exact, double ulps) const {
    const Format format = std::is_same_v<N, Narrow> ? Narrow::format : Format::fp32;
    const int precision = format == Format::fp32 ? 24 : format == Format::bf16 ? 8 : 11;
    const int least = format == Format::fp16 ? -14 : -126;
    const bool keep = style_.elementary == Elementary::nearest || !std::isfinite(exact) ||
                      exact == 0 || std::ilogb(exact) < least;
    if (keep) return narrowed(exact, format);
    const double ulp = std::ldexp(1.0, std::ilogb(exact) - precision + 1);
    const double side = style_.elementary == Elementary::up     ? 1
                        : style_.elementary == Elementary::down ? -1
                                                                : uniform();
    // Also next to a power of two, below which numbers lie closer.
    for (double most = ulps - 1e-6; most > 0.5; most -= 0.25) {
      const double y = narrowed(exact + side * most * ulp, format);
      if (std::fabs(y - exact) <= (ulps - 1e-6) * ulp) return y;
    }
    return narrowed(exact, format);
  }

  double uniform() const { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  const Style& style_;
  const Arithmetic& how_;
  Random& random_;
};

}  // namespace ulpfuzz::bench
