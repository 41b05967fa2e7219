#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/accumulate.hpp"
#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/tiled_product.hpp"

namespace ulpfuzz::kernels {

/// One element of y for every `Lanes` threads, as Gemv has it.
template <unsigned Lanes>
struct GemvElements {
  static constexpr unsigned threads = 128;
  static constexpr unsigned elements = threads / Lanes;  ///< of a block
  struct Shared {
    float warps[threads / warp];
  };

  Product product;
  unsigned vector = 1;  ///< 1 or 4
  bool fused = true;

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const std::size_t first = block.index() * elements;
    const unsigned there = Tiling::least(product.entries * product.m * product.n - first, elements);
    const unsigned busy = Lanes == threads
                              ? Tiling::least((product.k + vector - 1) / vector, threads)
                              : there * Lanes;  // no other thread has a term
    typename Block::template Registers<Operands> operands;
    typename Block::template Registers<float> sums;
    block.each([&](unsigned t) { sums[t] = 0; });
    block.each(busy, [&](unsigned t) { operands[t] = lane_of(first + t / Lanes, t % Lanes); });
    for (std::size_t q = 0; q < product.k; q += at_once * Lanes)
      block.each(busy, [&](unsigned t) { sums[t] = add(operands[t], q, sums[t]); });
    ULPFUZZ_UNROLL
    for (unsigned bit = 1; bit <= 5; ++bit) {
      const auto others = block.exchange(sums, warp >> bit);
      block.each([&](unsigned t) { sums[t] = sums[t] + others[t]; });
    }
    if constexpr (Lanes > warp) {
      static_assert(threads == 4 * warp && Lanes == threads);
      float(&warps)[4] = block.shared().warps;
      block.each([&](unsigned t) {
        if (t % warp == 0) warps[t / warp] = sums[t];
      });
      block.each(1, [&](unsigned t) { sums[t] = (warps[0] + warps[2]) + (warps[1] + warps[3]); });
    }
    block.each(there * Lanes, [&](unsigned t) {
      if (t % Lanes == 0) finish(first + t / Lanes, sums[t]);
    });
  }

 private:
  static constexpr unsigned at_once = 4;  ///< terms that a lane adds in a phase
  /// What a lane's first term is made of, and how many terms of all there are from it on.
  struct Operands {
    const float *a, *b;
    std::size_t left;
  };

  /// Without a division, which a lane of few terms would feel, where there is one row or column.
  ULPFUZZ_HOST_DEVICE static std::size_t quotient(std::size_t x, std::size_t by) {
    return x < by ? 0 : by == 1 ? x : x / by;
  }
  ULPFUZZ_HOST_DEVICE Operands lane_of(std::size_t element, unsigned lane) const {
    const Product& p = product;
    const std::size_t q = std::size_t{lane} * vector;
    if (q >= p.k) return {nullptr, nullptr, 0};
    const std::size_t line = quotient(element, p.n), entry = quotient(line, p.m);
    const float* const a = first_of_a(p, entry) + (line - entry * p.m) * p.a_row;
    const float* const b = first_of_b(p, entry) + (element - line * p.n) * p.b_column;
    return {a + q * p.a_step, b + q * p.b_step, p.k - q};
  }
  ULPFUZZ_HOST_DEVICE float add(const Operands& from, std::size_t q, float sum) const {
    if (q >= from.left) return sum;
    return fused ? add<true>(from, q, sum) : add<false>(from, q, sum);
  }
  template <bool Fused>
  ULPFUZZ_HOST_DEVICE float add(const Operands& from, std::size_t q, float sum) const {
    const std::size_t apart = vector == 1 ? Lanes : 1;
    const float *const a = from.a + q * product.a_step, *const b = from.b + q * product.b_step;
    const std::size_t a_apart = apart * product.a_step, b_apart = apart * product.b_step;
    ULPFUZZ_UNROLL
    for (unsigned u = 0; u < at_once; ++u)
      if (q + u * apart < from.left) sum = multiply_add<Fused>(a[u * a_apart], b[u * b_apart], sum);
    return sum;
  }
  ULPFUZZ_HOST_DEVICE void finish(std::size_t element, float total) const {
    const Product& p = product;
    const float y = p.bias == nullptr ? total : total + p.bias[element % p.n];
    p.y[element] = apply_phi(p.phi, p.alpha, y);
  }
};

}  // namespace ulpfuzz::kernels
