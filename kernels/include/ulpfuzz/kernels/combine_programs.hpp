#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/map_programs.hpp"
#include "ulpfuzz/kernels/tiled_product.hpp"

/// The programs of a product whose tiles several blocks share.
namespace ulpfuzz::kernels {

/// y = phi(p0 + p1 + ... + bias), first to last; a block a tile.
struct CombineTiles {
  static constexpr unsigned threads = 128;
  struct Shared {};
  TiledProduct of;

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const Place place = of.tiling.place(block.index());
    const Slots slots = of.parts.slots(block.index());
    block.each([&](unsigned t) {
      for (unsigned i = t / warp; i < place.rows; i += threads / warp)
        for (unsigned j = t % warp; j < place.columns; j += warp) combine(place, slots, i, j);
    });
  }
  ULPFUZZ_HOST_DEVICE void combine(const Place& place, const Slots& slots, unsigned i,
                                   unsigned j) const {
    const std::size_t stride = of.slot_floats();
    const float* const partial = of.partials + slots.first * stride + i * of.tiling.columns + j;
    float sum = partial[0];
    for (std::size_t part = 1; part < slots.count; ++part)
      sum = of.kept(sum + partial[part * stride]);
    if (of.adds_bias) sum = of.kept(sum + of.kept(of.product.bias[place.column + j]));
    of.row_of(place, i)[j] = of.kept(apply_phi(of.product.phi, of.product.alpha, sum));
  }
};

/// phi(y + bias) of an element that blocks have added to.
struct FinishedElement {
  TiledProduct of;

  ULPFUZZ_HOST_DEVICE float operator()(std::size_t i) const {
    const Product& p = of.product;
    const float sum = of.kept(p.y[i]);
    const float y = of.adds_bias ? of.kept(sum + of.kept(p.bias[i % p.n])) : sum;
    return of.kept(apply_phi(p.phi, p.alpha, y));
  }
};

/// run(program, blocks) for `tiles`, which puts the sums of tiles, and for what combines them.
template <class Program, class Run>
void with_combination(const TiledProduct& of, const Program& tiles, const Run& run) {
  if (of.parts.blocks == 0) return;
  if (of.parts.whole() || of.combination == Combination::ordered) {
    run(tiles, of.parts.blocks);
    if (!of.parts.whole()) run(CombineTiles{of}, of.parts.tiles);
    return;
  }
  const std::size_t count = of.product.entries * of.product.m * of.product.n;
  const MapProgram<MapFill> clear{{0.0f}, count, of.product.y};
  run(clear, clear.blocks());
  run(tiles, of.parts.blocks);
  const MapProgram<FinishedElement> finish{{of}, count, of.product.y};
  if (of.adds_bias || of.product.phi != Phi::identity || of.flushes) run(finish, finish.blocks());
}

}  // namespace ulpfuzz::kernels
