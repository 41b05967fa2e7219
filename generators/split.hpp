#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/generators/source.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

enum class SplitKind : std::uint8_t {
  whole,
  singles,
  halves,
  last_alone,   ///< n-1 | 1
  first_alone,  ///< 1 | n-1
  ragged,
  prefixes,  ///< overlapping: rows 0..k for some k
  permuted,
  with_empty,
  padded
};
inline constexpr int split_kind_count = static_cast<int>(SplitKind::padded) + 1;

SplitKind draw_split_kind(Source& source);
std::vector<Slice> draw_split(Source& source, SplitKind kind, std::uint32_t batch);
/// Slices of consecutive rows between `cuts` random positions; none is empty but that of an empty
/// batch.
std::vector<Slice> cut(Source& source, std::uint32_t batch, std::uint32_t cuts);

}  // namespace ulpfuzz::generators
