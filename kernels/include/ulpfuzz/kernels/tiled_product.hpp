#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/emulated_formats.hpp"
#include "ulpfuzz/kernels/loops.hpp"
#include "ulpfuzz/kernels/parts.hpp"
#include "ulpfuzz/kernels/phi.hpp"

/// What becomes of the sums of a tile: finished, or kept to be combined, or added to y.
namespace ulpfuzz::kernels {

/// A product, cut in tiles and parts. Slot s of the partial sums is the s-th array
/// [tiling.rows, tiling.columns] of `partials`.
struct TiledProduct {
  Product product;
  Tiling tiling;
  Parts parts;
  Combination combination = Combination::ordered;
  bool adds_bias = false;  ///< last, and there is one
  float* partials = nullptr;
  bool flushes = false;  ///< subnormals: of the bias, of sums of parts in order, and of y

  ULPFUZZ_HOST_DEVICE float kept(float x) const { return flushes ? without_subnormals(x) : x; }
  ULPFUZZ_HOST_DEVICE std::size_t slot_floats() const {
    return std::size_t{tiling.rows} * tiling.columns;
  }
  ULPFUZZ_HOST_DEVICE float* row_of(const Place& place, unsigned i) const {
    return product.y + (place.entry * product.m + place.row + i) * product.n + place.column;
  }
  std::size_t workspace() const {
    const bool keeps = !parts.whole() && combination == Combination::ordered;
    return keeps ? parts.all_slots() * slot_floats() : 0;
  }
};

/// Elements j .. j + Columns - 1 of row i of a tile: its sums are finished but for phi, kept or
/// added to y, as the parts have it. Those not in y are left out.
ULPFUZZ_ANY_CALLER
template <unsigned Columns, class Block>
ULPFUZZ_HOST_DEVICE inline void put_row(Block& block, const TiledProduct& of, const Place& place,
                                        std::size_t slot, unsigned i, unsigned j,
                                        const float (&sums)[Columns]) {
  const unsigned columns = place.columns - j;
  if (of.parts.whole()) {
    float* const y = of.row_of(place, i) + j;
    const float* const bias = of.product.bias + (of.adds_bias ? place.column + j : 0);
    const auto finished = [&](unsigned c) {
      return of.adds_bias ? of.kept(sums[c] + of.kept(bias[c])) : sums[c];
    };
    if (columns >= Columns) {
      ULPFUZZ_ALONG
      for (unsigned c = 0; c < Columns; ++c) y[c] = finished(c);
    } else {
      ULPFUZZ_ALONG
      for (unsigned c = 0; c < Columns; ++c)
        if (c < columns) y[c] = finished(c);
    }
  } else if (of.combination == Combination::ordered) {
    float* const kept = of.partials + slot * of.slot_floats() + i * of.tiling.columns + j;
    ULPFUZZ_ALONG
    for (unsigned c = 0; c < Columns; ++c)
      if (c < columns) kept[c] = sums[c];
  } else {
    float* const y = of.row_of(place, i) + j;
    ULPFUZZ_ALONG
    for (unsigned c = 0; c < Columns; ++c)
      if (c < columns) block.atomic_add(y + c, sums[c]);
  }
}

/// phi of rows x columns elements at y, in place.
ULPFUZZ_APART ULPFUZZ_HOST_DEVICE inline void apply_phi(const Product& p, float* y, unsigned rows,
                                                        unsigned columns) {
  if (p.phi == Phi::identity) return;
  with_phi(p.phi, p.alpha, [&](const auto& phi) {
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j) y[i * p.n + j] = apply(phi, y[i * p.n + j]);
  });
}

}  // namespace ulpfuzz::kernels
