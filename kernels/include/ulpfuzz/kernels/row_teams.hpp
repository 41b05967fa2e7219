#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include "ulpfuzz/kernels/block.hpp"

namespace ulpfuzz::kernels {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Who works on which row of [rows, n]: as stated in row_launches.hpp, by 128 threads a row; where
/// all but the first `Lanes` of them would have no terms they are left out, which changes no bit.
template <unsigned Lanes>
struct RowTeam {
  static_assert(Lanes == 8 || Lanes == warp || Lanes == 4 * warp);
  static constexpr unsigned threads = Lanes < warp ? warp : Lanes;
  static constexpr std::size_t rows_at_once = threads / Lanes;
  struct Shared {
    float of_warp[threads / warp];
  };
  static std::size_t blocks(std::size_t rows) { return (rows + rows_at_once - 1) / rows_at_once; }
};

/// use(lanes), a std::integral_constant: threads for a row of n.
template <class Use>
void with_row_lanes(std::size_t n, const Use& use) {
  if (n <= 8) return use(std::integral_constant<unsigned, 8>{});
  if (n <= warp) return use(std::integral_constant<unsigned, warp>{});
  use(std::integral_constant<unsigned, 4 * warp>{});
}

}  // namespace ulpfuzz::kernels
