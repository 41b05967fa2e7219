#pragma once

#include <cstddef>
#include <type_traits>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/element_launches.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/phi.hpp"

namespace ulpfuzz::kernels {

/// y[i] = f(i), i < count: an element a thread.
template <class F>
struct MapProgram {
  static constexpr unsigned threads = 256;
  struct Shared {};
  F f;
  std::size_t count;
  float* y;

  std::size_t blocks() const { return (count + threads - 1) / threads; }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const F of = f;
    float* const to = y + block.index() * threads;
    const std::size_t first = block.index() * threads, left = count - first;
    if (left >= threads) {  // without a test in each thread, for hosts that vectorise
      block.each([&](unsigned t) { to[t] = of(first + t); });
    } else {
      block.each([&](unsigned t) {
        if (t < left) to[t] = of(first + t);
      });
    }
  }
};

template <class F, bool Fast>
struct MapPhi {
  F phi;
  const float* x;
  ULPFUZZ_HOST_DEVICE float operator()(std::size_t i) const {
    return Fast ? apply_fast(phi, x[i]) : apply(phi, x[i]);
  }
};
struct MapSum {
  const float *x, *z;
  ULPFUZZ_HOST_DEVICE float operator()(std::size_t i) const { return x[i] + z[i]; }
};
struct MapProduct {
  const float *x, *z;
  ULPFUZZ_HOST_DEVICE float operator()(std::size_t i) const { return x[i] * z[i]; }
};
struct MapFill {
  float value;
  ULPFUZZ_HOST_DEVICE float operator()(std::size_t) const { return value; }
};

/// Whether fast functions make a difference.
template <class F>
inline constexpr bool has_fast = F::first == Function::exp || F::first == Function::tanh ||
                                 F::second == Function::exp || F::second == Function::tanh;

/// use(f) with the function of MapProgram.
template <class Use>
void with_map_function(const Map& map, const Use& use) {
  const auto applied = [&](const auto& phi) {
    using F = std::decay_t<decltype(phi)>;
    if (has_fast<F> && map.fast) return use(MapPhi<F, has_fast<F>>{phi, map.x});
    use(MapPhi<F, false>{phi, map.x});
  };
  switch (map.kind) {
    case Map::Kind::activation:
      return with_phi(map.phi, map.alpha, applied);
    case Map::Kind::derivative:
      return with_phi_derivative(map.phi, map.alpha, applied);
    case Map::Kind::add:
      return use(MapSum{map.x, map.z});
    case Map::Kind::multiply:
      return use(MapProduct{map.x, map.z});
    case Map::Kind::fill:
      return use(MapFill{__builtin_bit_cast(float, map.bits)});
  }
}

}  // namespace ulpfuzz::kernels
