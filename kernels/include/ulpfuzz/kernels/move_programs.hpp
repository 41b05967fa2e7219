#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/move_kinds.hpp"

namespace ulpfuzz::kernels {

/// Rows of y [entries, rows, columns], one a thread.
template <class Kind>
struct NarrowMove {
  static constexpr unsigned threads = 4 * warp;
  struct Shared {};
  Kind kind;
  std::size_t rows, width;

  std::size_t blocks() const { return (rows + threads - 1) / threads; }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    block.each([&](unsigned t) {
      const std::size_t at = block.index() * threads + t;
      if (at >= rows) return;
      const auto row = kind.row(at);
      for (std::size_t j = 0; j < width; ++j) row(j);
    });
  }
};

/// Wider ones: a block for every `stretch` elements of a row.
template <class Kind, unsigned Threads>
struct WideMove {
  static constexpr unsigned threads = Threads;
  static constexpr std::size_t stretch = 4 * threads;
  struct Shared {};
  Kind kind;
  std::size_t rows, width;

  ULPFUZZ_HOST_DEVICE std::size_t across() const { return (width + stretch - 1) / stretch; }
  std::size_t blocks() const { return rows * across(); }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const std::size_t at = block.index() / across();
    const auto row = kind.row(at);
    const std::size_t begin = (block.index() - at * across()) * stretch;
    const std::size_t end = begin + stretch < width ? begin + stretch : width;
    for (std::size_t first = begin; first < end; first += threads) {
      const std::size_t left = end - first;
      if (left >= threads) {  // without a test in each thread, for hosts that vectorise
        block.each([&](unsigned t) { row(first + t); });
      } else {
        block.each([&](unsigned t) {
          if (t < left) row(first + t);
        });
      }
    }
  }
};

}  // namespace ulpfuzz::kernels
