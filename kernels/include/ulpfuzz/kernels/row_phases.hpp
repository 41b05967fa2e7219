#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/row_teams.hpp"

namespace ulpfuzz::kernels {

/// Phases of a block whose threads work on rows. (Of a HostBlock: host_row_phases.hpp.)
template <unsigned Lanes, class Block>
class RowPhases {
 public:
  using Floats = typename Block::template Registers<float>;

  ULPFUZZ_ANY_CALLER
  ULPFUZZ_HOST_DEVICE RowPhases(Block& block, std::size_t rows, std::size_t n)
      : block_(block),
        first_row_(block.index() * RowTeam<Lanes>::rows_at_once),
        rows_(rows),
        n_(n) {}

  /// f(t, i) for the elements i of [rows, n] that are thread t's, first to last.
  ULPFUZZ_ANY_CALLER
  template <class F>
  ULPFUZZ_HOST_DEVICE void each_element(const F& f) {
    block_.each([&](unsigned t) { elements(t, f); });
  }

  /// f(t), which is the same for all threads of a row.
  ULPFUZZ_ANY_CALLER
  template <class F>
  ULPFUZZ_HOST_DEVICE Floats uniform(const F& f) {
    Floats y;
    block_.each([&](unsigned t) { y[t] = f(t); });
    return y;
  }

  /// K numbers of each row, in all of its threads: those of a thread begin at `start` and become
  /// add(them, t, i) for each of its elements; then the threads' numbers are combined in the stated
  /// order: combine(own, other) makes own what both of two threads have from there on.
  ULPFUZZ_ANY_CALLER
  template <unsigned K, class Add, class Combine>
  ULPFUZZ_HOST_DEVICE void fold(Floats (&r)[K], const float (&start)[K], const Add& add,
                                const Combine& combine) {
    block_.each([&](unsigned t) {
      float own[K];
      for (unsigned k = 0; k < K; ++k) own[k] = start[k];
      elements(t, [&](unsigned, std::size_t i) { add(own, t, i); });
      for (unsigned k = 0; k < K; ++k) r[k][t] = own[k];
    });
    Floats other[K];
    for (unsigned mask = width / 2; mask > 0; mask /= 2) {
      for (unsigned k = 0; k < K; ++k) other[k] = block_.exchange(r[k], mask);
      merge(r, other, combine);
    }
    for (unsigned mask = Lanes / width / 2; mask > 0; mask /= 2) {
      for (unsigned k = 0; k < K; ++k) other[k] = exchange_warps(r[k], mask);
      merge(r, other, combine);
    }
  }

 private:
  static constexpr unsigned width = Lanes < warp ? Lanes : warp;

  template <class F>
  ULPFUZZ_HOST_DEVICE void elements(unsigned t, const F& f) const {
    const std::size_t row = first_row_ + t / Lanes;
    if (row >= rows_) return;
    for (std::size_t j = t % Lanes; j < n_; j += Lanes) f(t, row * n_ + j);
  }

  ULPFUZZ_ANY_CALLER
  template <unsigned K, class Combine>
  ULPFUZZ_HOST_DEVICE void merge(Floats (&r)[K], const Floats (&other)[K], const Combine& combine) {
    block_.each([&](unsigned t) {
      float own[K], theirs[K];
      for (unsigned k = 0; k < K; ++k) {
        own[k] = r[k][t];
        theirs[k] = other[k][t];
      }
      combine(own, theirs);
      for (unsigned k = 0; k < K; ++k) r[k][t] = own[k];
    });
  }

  /// What warp w ^ mask has, all its lanes alike.
  ULPFUZZ_ANY_CALLER
  ULPFUZZ_HOST_DEVICE Floats exchange_warps(const Floats& r, unsigned mask) {
    auto& of_warp = block_.shared().of_warp;
    block_.each([&](unsigned t) {
      if (t % warp == 0) of_warp[t / warp] = r[t];
    });
    Floats theirs;
    block_.each([&](unsigned t) { theirs[t] = of_warp[t / warp ^ mask]; });
    return theirs;
  }

  Block& block_;
  std::size_t first_row_, rows_, n_;
};

}  // namespace ulpfuzz::kernels
