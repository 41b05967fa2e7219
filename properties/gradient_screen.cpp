#include <algorithm>
#include <cstring>
#include <utility>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::properties {
namespace {

// clang takes the alignment of a typedef, not that of an alias.
typedef float F8 __attribute__((vector_size(32), aligned(4), may_alias));
static_assert(alignof(F8) == alignof(float));
constexpr std::size_t side_length = 8;

/// An 8 by 8 tile, turned in registers: pairs, then fours, then halves.
[[gnu::always_inline]] inline void turn(const float* from, std::size_t from_row, float* to,
                                        std::size_t to_row) {
  F8 a[side_length], b[side_length];
  for (std::size_t r = 0; r < side_length; ++r) {
    a[r] = *reinterpret_cast<const F8*>(from + r * from_row);
  }
  for (std::size_t r = 0; r < side_length; r += 2) {
    b[r] = __builtin_shufflevector(a[r], a[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[r + 1] = __builtin_shufflevector(a[r], a[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (std::size_t r = 0; r < side_length; r += 4) {
    for (std::size_t h = 0; h < 2; ++h) {
      a[r + 2 * h] = __builtin_shufflevector(b[r + h], b[r + h + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[r + 2 * h + 1] =
          __builtin_shufflevector(b[r + h], b[r + h + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (std::size_t c = 0; c < 4; ++c) {
    *reinterpret_cast<F8*>(to + c * to_row) =
        __builtin_shufflevector(a[c], a[c + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *reinterpret_cast<F8*>(to + (c + 4) * to_row) =
        __builtin_shufflevector(a[c], a[c + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// to[c, r] = from[r, c]
ULPFUZZ_CLONES void transpose(const float* from, std::size_t rows, std::size_t cols, float* to) {
  const std::size_t whole_rows = rows / side_length * side_length;
  const std::size_t whole_cols = cols / side_length * side_length;
  for (std::size_t r = 0; r < whole_rows; r += side_length) {
    for (std::size_t c = 0; c < whole_cols; c += side_length) {
      turn(from + r * cols + c, cols, to + c * rows + r, rows);
    }
  }
  for (std::size_t c = whole_cols; c < cols; ++c) {
    for (std::size_t r = 0; r < whole_rows; ++r) to[c * rows + r] = from[r * cols + c];
  }
  for (std::size_t r = whole_rows; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) to[c * rows + r] = from[r * cols + c];
  }
}

}  // namespace

void GradientJudge::screen() {
  flags_.assign(c_.batch() * outputs_, 0);
  block_flags_.assign(flags_.size() * paths_.loop.blocks.size(), 0);
  screen(paths_.reverse, reverse_differs);
  if (paths_.forward) {
    transpose_forward();
    screen(forward_, forward_differs);
  }
}

/// Flags the blocks whose bits differ from the loop's, and their entries; counts the others.
void GradientJudge::screen(const Jacobian& other, std::uint8_t differs) {
  std::uint8_t* block = block_flags_.data();
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = paths_.loop.elements[w];
    const float* a = paths_.loop.blocks[w].data();
    const float* b = other.blocks[w].data();
    std::uint64_t equal = 0;
    for (std::uint8_t& flag : flags_) {
      const bool same = size == 0 || std::memcmp(a, b, size * sizeof(float)) == 0;
      equal += same ? 1u : 0u;
      if (!same) flag |= differs;
      if (!same) *block |= differs;
      a += size;
      b += size;
      ++block;
    }
    account_.count(Tier::bit_equal, equal * size);
  }
}

void GradientJudge::transpose_forward() {
  forward_ = {paths_.loop.batch, outputs_, paths_.loop.elements,
              std::move(t_.trial.context.scratch)};
  forward_.blocks.resize(std::max(forward_.blocks.size(), paths_.loop.blocks.size()));
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = forward_.elements[w];
    std::vector<float>& to = forward_.blocks[w];
    to.resize(std::max(to.size(), paths_.forward->blocks[w].size()));
    for (std::size_t row = 0; row < c_.batch(); ++row) {
      const std::size_t at = row * size * outputs_;
      transpose(paths_.forward->blocks[w].data() + at, size, outputs_, to.data() + at);
    }
  }
}

}  // namespace ulpfuzz::properties
