#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ulpfuzz/kernels/activation.hpp"
#include "ulpfuzz/kernels/product.hpp"

/// Products element by element, in the order that product.hpp states for Gemm and Gemv: lists of
/// terms, and formulas for which list a term is in.
namespace ulpfuzz::kernels::naive {

using Sums = std::vector<float>;

/// The terms of element (i, j) of an entry.
struct Element {
  const Product& p;
  std::size_t entry, i, j;

  float a(std::size_t q) const {
    return p.a[entry / p.a_repeat * p.a_entry + i * p.a_row + q * p.a_step];
  }
  float b(std::size_t q) const {
    return p.b[entry / p.b_repeat * p.b_entry + q * p.b_step + j * p.b_column];
  }
  float add(float sum, std::size_t q, bool fused) const {
    if (fused) return std::fma(a(q), b(q), sum);
    const float product = a(q) * b(q);
    return sum + product;
  }
};

/// The upper half is added to the lower one, again and again.
inline float by_halves(const Sums& sums) {
  if (sums.size() == 1) return sums[0];
  const std::size_t half = sums.size() / 2;
  Sums lower(half);
  for (std::size_t s = 0; s < half; ++s) lower[s] = sums[s] + sums[s + half];
  return by_halves(lower);
}

/// What the activations of Phi are; of those that need no library the value is exact arithmetic.
inline float epilogue(const Product& p, float x) {
  switch (p.phi) {
    case Phi::relu:
      return x < 0 ? 0.0f : x;
    case Phi::leaky_relu:
      return x < 0 ? p.alpha * x : x;
    case Phi::tanh:
      return std::tanh(x);
    case Phi::gelu_erf:
      return apply(GeluErf{}, x);
    case Phi::elu:
      return apply(Elu{p.alpha}, x);
    default:
      return x;
  }
}

struct TileSize {
  std::size_t rows, columns, depth;
};
inline TileSize size_of(Tile tile) {
  switch (tile) {
    case Tile::m16n16k16:
      return {16, 16, 16};
    case Tile::m32n32k8:
      return {32, 32, 8};
    case Tile::m64n64k8:
      return {64, 64, 8};
    default:
      return {128, 64, 8};
  }
}

inline std::size_t upwards(std::size_t x, std::size_t by) { return (x + by - 1) / by; }

/// To which of `shares` contiguous shares of `count` a thing belongs: found by dealing out.
inline std::size_t share_of(std::size_t at, std::size_t count, std::size_t shares) {
  for (std::size_t share = 0;; ++share) {
    const std::size_t size = count / shares + (share < count % shares ? 1 : 0);
    if (at < size) return share;
    at -= size;
  }
}

/// The part that step `step` of tile `tile` is in; parts are numbered from any number on, rising
/// with the step.
inline std::size_t part_of(const Gemm& g, std::size_t tile, std::size_t step) {
  const TileSize size = size_of(g.tile);
  const Product& p = g.product;
  const std::size_t steps = std::max<std::size_t>(1, upwards(p.k, size.depth));
  if (g.parts.stream == 0)
    return share_of(step, steps, std::min<std::size_t>(g.parts.splits, steps));
  const std::size_t all = p.entries * upwards(p.m, size.rows) * upwards(p.n, size.columns) * steps;
  return share_of(tile * steps + step, all, std::min<std::size_t>(g.parts.stream, all));
}

/// The sum of one part: steps begin .. end - 1.
inline float part_sum(const Gemm& g, const Element& e, std::size_t begin, std::size_t end) {
  const std::size_t depth = size_of(g.tile).depth, k = g.product.k;
  Sums sums(g.slices, 0.0f);
  if (begin == 0 && g.bias_first && g.product.bias != nullptr) sums[0] = g.product.bias[e.j];
  for (std::size_t q = begin * depth; q < std::min(end * depth, k); ++q) {
    float& sum = sums[q % depth * g.slices / depth];
    sum = e.add(sum, q, g.fused);
  }
  return by_halves(sums);
}

/// The sums of all parts of an element, first to last.
inline Sums part_sums(const Gemm& g, const Element& e) {
  const TileSize size = size_of(g.tile);
  const Product& p = g.product;
  const std::size_t down = upwards(p.m, size.rows), across = upwards(p.n, size.columns);
  const std::size_t tile = (e.entry * down + e.i / size.rows) * across + e.j / size.columns;
  const std::size_t steps = std::max<std::size_t>(1, upwards(p.k, size.depth));
  Sums sums;
  for (std::size_t begin = 0, end = 0; begin < steps; begin = end) {
    while (end < steps && part_of(g, tile, end) == part_of(g, tile, begin)) ++end;
    sums.push_back(part_sum(g, e, begin, end));
  }
  return sums;
}

/// Parts in the order given, then bias and phi.
inline float combined(const Gemm& g, const Element& e, const Sums& parts) {
  const Product& p = g.product;
  const bool decomposed = g.parts.stream != 0 || (g.parts.splits > 1 && parts.size() > 1);
  const bool atomic = decomposed && g.parts.combination == Combination::atomic;
  float sum = atomic ? 0.0f + parts[0] : parts[0];
  for (std::size_t part = 1; part < parts.size(); ++part) sum = sum + parts[part];
  return epilogue(p, p.bias != nullptr && !g.bias_first ? sum + p.bias[e.j] : sum);
}

inline float element(const Gemm& g, const Element& e) { return combined(g, e, part_sums(g, e)); }

inline float element(const Gemv& g, const Element& e) {
  const Product& p = g.product;
  Sums lanes(g.lanes, 0.0f);
  for (std::size_t q = 0; q < p.k; ++q) {
    float& lane = lanes[q / g.vector % g.lanes];
    lane = e.add(lane, q, g.fused);
  }
  Sums warps;
  for (std::size_t first = 0; first < lanes.size(); first += 32)
    warps.push_back(by_halves({lanes.begin() + first, lanes.begin() + first + 32}));
  const float sum = by_halves(warps);
  return epilogue(p, p.bias != nullptr ? sum + p.bias[e.j] : sum);
}

/// All of y.
template <class Launch>
std::vector<float> result(const Launch& launch) {
  const Product& p = launch.product;
  std::vector<float> y;
  for (std::size_t entry = 0; entry < p.entries; ++entry)
    for (std::size_t i = 0; i < p.m; ++i)
      for (std::size_t j = 0; j < p.n; ++j) y.push_back(element(launch, Element{p, entry, i, j}));
  return y;
}

}  // namespace ulpfuzz::kernels::naive
