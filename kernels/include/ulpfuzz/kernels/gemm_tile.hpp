#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/staged_terms.hpp"
#include "ulpfuzz/kernels/thread_sums.hpp"
#include "ulpfuzz/kernels/tiled_product.hpp"

namespace ulpfuzz::kernels {

/// The sums of one stretch of steps of a tile after the other, as Gemm has it. Threads that have no
/// element of y wait.
template <class Shape, unsigned Slices>
struct GemmTile {
  static constexpr unsigned threads = Shape::threads * Slices;
  static constexpr unsigned tr = Shape::thread_rows, tc = Shape::thread_columns;
  struct Shared {
    StagedTerms<Shape> terms;
    alignas(32) float row[Slices == 1 ? 1 : threads / 2][tc];  ///< sums on their way
  };
  using Sums = ThreadSums<Shape>;

  TiledProduct of;
  bool fused = true;
  bool bias_first = false;

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    of.parts.each_stretch(block.index(), [&](const Stretch& stretch) {
      sum_up(block, stretch, of.tiling.place(stretch.tile));
    });
  }

 private:
  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void sum_up(Block& block, const Stretch& stretch, const Place& place) const {
    const unsigned across = (place.columns + tc - 1) / tc;
    const unsigned own = (place.rows + tr - 1) / tr * across;  // threads of a slice
    typename Block::template Registers<Sums> sums;
    block.each(own * Slices,
               [&](unsigned t) { start(stretch, place, t / own, t % own, across, sums[t]); });
    if (of.product.k != 0) add_steps(block, stretch, place, own, sums);
    if constexpr (Slices > 1) add_slices<Slices, Shape>(block, own, sums);
    block.each(own, [&](unsigned t) { put(block, place, stretch.slot, sums[t]); });
  }

  ULPFUZZ_ANY_CALLER
  template <class Block, class Registers>
  ULPFUZZ_HOST_DEVICE void add_steps(Block& block, const Stretch& stretch, const Place& place,
                                     unsigned own, Registers& sums) const {
    const Product& p = of.product;
    const float* const a = first_of_a(p, place.entry) + place.row * p.a_row;
    const float* const b = first_of_b(p, place.entry) + place.column * p.b_column;
    for (std::size_t step = stretch.begin; step < stretch.end; ++step) {
      const std::size_t q = step * Shape::depth;
      const unsigned depth = Tiling::least(p.k - q, Shape::depth);
      stage<threads>(block, p, a + q * p.a_step, b + q * p.b_step, place, depth);
      block.each(own * Slices, [&](unsigned t) { multiply(block.shared().terms, depth, sums[t]); });
    }
  }

  /// Sums of +0, or of the bias in front of the first term of all.
  ULPFUZZ_HOST_DEVICE void start(const Stretch& stretch, const Place& place, unsigned slice,
                                 unsigned thread, unsigned across, Sums& sums) const {
    sums.slice = slice;
    sums.i = thread / across * tr;
    sums.j = thread % across * tc;
    sums.rows = Tiling::least(place.rows - sums.i, tr);
    const bool from_bias =
        stretch.begin == 0 && slice == 0 && bias_first && of.product.bias != nullptr;
    ULPFUZZ_ALONG
    for (unsigned c = 0; c < tc; ++c) {
      const bool biased = from_bias && sums.j + c < place.columns;
      const float first = biased ? of.product.bias[place.column + sums.j + c] : 0.0f;
      ULPFUZZ_ALONG
      for (unsigned r = 0; r < tr; ++r) sums.at[r][c] = first;
    }
  }

  ULPFUZZ_HOST_DEVICE void multiply(const StagedTerms<Shape>& terms, unsigned depth,
                                    Sums& sums) const {
    constexpr unsigned part = Shape::depth / Slices;
    const unsigned begin = sums.slice * part;
    if (begin < depth)
      sums.add(fused, terms.a[begin], terms.b[begin], Tiling::least(depth - begin, part));
  }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void put(Block& block, const Place& place, std::size_t slot,
                               const Sums& sums) const {
    ULPFUZZ_ALONG
    for (unsigned r = 0; r < tr; ++r)
      if (r < sums.rows) put_row(block, of, place, slot, sums.i + r, sums.j, sums.at[r]);
    if (of.parts.whole())
      apply_phi(of.product, of.row_of(place, sums.i) + sums.j, sums.rows,
                Tiling::least(place.columns - sums.j, tc));
  }
};

}  // namespace ulpfuzz::kernels
