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
void Result::narrow(const Value& v, const Narrowing& to) {
  const std::size_t n = v.count();
  for (auto* a : {&reference, &error, &local}) a->resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Element x{v.value[i], v.error[i], v.local[i], sigma[i]};
    const State state = v.state_of(i);
    if (state == State::finite || state == State::range) to.round(x);
    reference[i] = x.value;
    error[i] = x.error;
    local[i] = x.local;
    sigma[i] = x.deviation;
    if (state != State::finite) continue;
    judgement[i] =
        judgement_of(state_of_rounded(reference[i], error[i], sigma[i], local[i], to), error[i]);
  }
}

void Result::finish(const Value& v, const Narrowing& store) {
  const std::size_t n = v.count();
  copied = store.active;
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
  if (copied) narrow(v, store);
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
