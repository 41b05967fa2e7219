#pragma once

#include "ulpfuzz/kernels/combine_programs.hpp"
#include "ulpfuzz/kernels/unit_sums.hpp"

namespace ulpfuzz::kernels {

/// Sums of tiles by an emulated matmul unit: each thread has a strip of a tile, and stages one of
/// either operand for each step along k.
struct UnitTiles {
  static constexpr unsigned rows = 32, columns = 32;
  static constexpr unsigned depth = 16;  ///< a multiple of every unit's block
  static constexpr unsigned threads = rows * columns / strip;
  struct Shared {
    StagedOperand<depth, rows> a;
    StagedOperand<depth, columns> b;
  };
  struct Strip {
    float x[strip];
  };

  TiledProduct of;
  UnitSums unit;

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    of.parts.each_stretch(block.index(), [&](const Stretch& s) { add_stretch(block, s); });
  }

 private:
  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void add_stretch(Block& block, const Stretch& s) const {
    const Place place = of.tiling.place(s.tile);
    typename Block::template Registers<Strip> sums, fetched;
    for (std::size_t step = s.begin; step < s.end; ++step) {
      const unsigned count = Tiling::least(of.product.k - step * depth, depth);
      block.each([&](unsigned t) {
        if (step == s.begin) sums[t] = {};
        if (has_strip(place, count, t)) fetch(place, step * depth, t, fetched[t].x);
      });
      // Apart from the above: a host's loads of vectors wait for stores of their parts.
      block.each([&](unsigned t) {
        if (has_strip(place, count, t)) convert(block.shared(), t, fetched[t].x);
      });
      block.each([&](unsigned t) {
        if (exists(place, t))
          add<typename StripNumbers<Block>::type>(block.shared(), count, row(t), column(t),
                                                  sums[t].x);
      });
    }
    block.each([&](unsigned t) {
      if (exists(place, t)) finish(block, place, s.slot, t, sums[t].x);
    });
  }

  ULPFUZZ_HOST_DEVICE static unsigned row(unsigned t) { return t % rows; }
  ULPFUZZ_HOST_DEVICE static unsigned column(unsigned t) { return t / rows * strip; }
  ULPFUZZ_HOST_DEVICE static bool exists(const Place& place, unsigned t) {
    return row(t) < place.rows && column(t) < place.columns;
  }

  /// A thread stages a strip of the left operand along m, or of the right one along n.
  static constexpr unsigned lefts = depth * rows / strip;
  static_assert(threads == lefts + depth * columns / strip);
  ULPFUZZ_HOST_DEVICE static unsigned step(unsigned t) { return t % depth; }
  ULPFUZZ_HOST_DEVICE static unsigned first(unsigned t) { return t % lefts / depth * strip; }
  ULPFUZZ_HOST_DEVICE static bool has_strip(const Place& place, unsigned steps, unsigned t) {
    return step(t) < steps && first(t) < (t < lefts ? place.rows : place.columns);
  }
  ULPFUZZ_HOST_DEVICE void fetch(const Place& place, std::size_t q, unsigned t,
                                 float (&x)[strip]) const {
    const Product& p = of.product;
    if (t < lefts) {
      const float* const a = first_of_a(p, place.entry) + (q + step(t)) * p.a_step;
      fetch_strip(a + (place.row + first(t)) * p.a_row, p.a_row, place.rows - first(t), x);
    } else {
      const float* const b = first_of_b(p, place.entry) + (q + step(t)) * p.b_step;
      fetch_strip(b + (place.column + first(t)) * p.b_column, p.b_column, place.columns - first(t),
                  x);
    }
  }
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void convert(Shared& shared, unsigned t,
                                                                 float (&x)[strip]) const {
    if (t < lefts)
      convert_strip(x, unit.conversion, step(t), first(t), shared.a);
    else
      convert_strip(x, unit.conversion, step(t), first(t), shared.b);
  }

  template <class N>
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void add(const Shared& shared, unsigned count,
                                                             unsigned i, unsigned j,
                                                             float (&sums)[strip]) const {
    for (unsigned c = 0; c < strip; c += N::width) {
      const StagedPair<N, depth, rows, columns> pair{shared.a, shared.b, i, j + c};
      N::store(unit.add<N>(pair, count, N::load(sums + c)), sums + c);
    }
  }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void finish(Block& block, const Place& place, std::size_t slot, unsigned t,
                                  const float (&sums)[strip]) const {
    const unsigned i = row(t), j = column(t);
    put_row<strip>(block, of, place, slot, i, j, sums);
    if (!of.parts.whole()) return;
    const unsigned count = Tiling::least(place.columns - j, strip);
    float* const y = of.row_of(place, i) + j;
    apply_phi(of.product, y, 1, count);
    if (of.flushes)
      for (unsigned c = 0; c < count; ++c) y[c] = without_subnormals(y[c]);
  }
};

}  // namespace ulpfuzz::kernels
