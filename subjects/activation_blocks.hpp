#pragma once

#include <algorithm>
#include <cstddef>

#include "activation_dispatch.hpp"

namespace ulpfuzz {

/// y[i] = phi(x[i]) with the library functions evaluated a block at a time by
/// Math::apply<Function>(from, count, to). The last block is shorter.
template <class Math, class Kernel>
void apply_blocks(const Kernel& phi, const float* x, std::size_t count, float* y) {
  using kernels::Function;
  constexpr std::size_t block = 256;
  if constexpr (Kernel::first == Function::none) {
    for (std::size_t i = 0; i < count; ++i) y[i] = phi.value(x[i], x[i], x[i]);
  } else {
    alignas(64) float f[block];
    alignas(64) float g[block];
    for (; count > 0; x += block, y += block) {
      const std::size_t n = std::min(count, block);
      for (std::size_t i = 0; i < n; ++i) f[i] = phi.first_argument(x[i]);
      Math::template apply<Kernel::first>(f, n, f);
      for (std::size_t i = 0; i < n; ++i) g[i] = phi.second_argument(x[i], f[i]);
      if constexpr (Kernel::second != Function::none) Math::template apply<Kernel::second>(g, n, g);
      for (std::size_t i = 0; i < n; ++i) y[i] = phi.value(x[i], f[i], g[i]);
      count -= n;
    }
  }
}

template <class Math>
void activate_blocks(Op phi, float alpha, const float* x, std::size_t count, float* y) {
  with_activation(phi, alpha, [&](const auto& kernel) { apply_blocks<Math>(kernel, x, count, y); });
}

template <class Math>
void differentiate_blocks(Op phi, float alpha, const float* x, std::size_t count, float* y) {
  with_derivative(phi, alpha, [&](const auto& kernel) { apply_blocks<Math>(kernel, x, count, y); });
}

}  // namespace ulpfuzz
