#include "result.hpp"

#include <cmath>

#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

Judgement judgement_of(State state, double error) {
  switch (state) {
    case State::class_known:
      return Judgement::nonfinite;
    case State::range:
      return Judgement::range;
    case State::unknown:
      return Judgement::no_bound;
    default:
      if (error == 0) return Judgement::exact;
      return std::isfinite(error) ? Judgement::usable : Judgement::no_bound;
  }
}

ULPFUZZ_CLONES void square_roots(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::sqrt(from[i]);
}

ULPFUZZ_CLONES void judge_finite(const double* error, std::size_t n, Judgement* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = error[i] == 0 ? Judgement::exact : Judgement::usable;
}

}  // namespace

// Outputs are rounded once more where the arithmetic stores a narrower format than it computes.
void Result::store(const Value& v, const Model& m) {
  const std::size_t n = v.count();
  reference.assign(v.value.begin(), v.value.begin() + static_cast<std::ptrdiff_t>(n));
  error.resize(n);
  local.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = std::fabs(v.value[i]) + v.error[i];
    const bool exact =
        v.error[i] == 0 && fits_grid(v.grid[i / std::max<std::size_t>(v.size(), 1)], reach,
                                     m.store_precision, m.store_least_exponent);
    const double rounding = exact ? 0 : m.store_u * reach + m.store_eta;
    error[i] = (v.error[i] + rounding) * (exact ? 1 : inflation);
    local[i] = std::min(v.local[i] + rounding, error[i]);
    sigma[i] = std::sqrt(sigma[i] * sigma[i] + rounding * rounding);
    if (v.state_of(i) != State::finite) continue;
    const State s = state_of_result(reference[i], error[i], sigma[i], local[i], m.store_omega,
                                    m.store_overflow);
    judgement[i] = judgement_of(s, error[i]);
  }
}

void Result::finish(const Value& v, const Model& m) {
  const std::size_t n = v.count();
  copied = m.stores;
  if (judgement.size() < n) judgement.resize(n);
  if (v.clean) {
    judge_finite(v.error.data(), n, judgement.data());
  } else {
    for (std::size_t i = 0; i < n; ++i) judgement[i] = judgement_of(v.state[i], v.error[i]);
  }
  if (!v.deviations || copied) {
    if (sigma.size() < n) sigma.resize(n);
    if (v.deviations) {
      std::copy_n(v.variance.begin(), n, sigma.begin());
    } else {
      square_roots(v.variance.data(), n, sigma.data());
    }
  }
  if (copied) store(v, m);
}

OutputBounds Result::bounds(const Value& v) const {
  const std::size_t n = v.count();
  const bool own_sigma = !v.deviations || copied;
  return {.reference = {copied ? reference.data() : v.value.data(), n},
          .sound = {copied ? error.data() : v.error.data(), n},
          .sigma = {own_sigma ? sigma.data() : v.variance.data(), n},
          .local = {copied ? local.data() : v.local.data(), n},
          .judgement = {judgement.data(), n}};
}

}  // namespace ulpfuzz::bounds
