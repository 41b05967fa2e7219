#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::generators {

/// Where an index of a resized dimension comes from.
struct Origin {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t from = none;  ///< old index
  bool copy = false;          ///< stands beside the index that it repeats
  bool operator==(const Origin&) const = default;
};
using Origins = std::vector<Origin>;

Origins unchanged(std::uint32_t size);
Origins origins(std::uint32_t old, std::uint32_t now, bool in_the_middle);

/// A tensor whose rows and columns come from those of `from`; what is new is filled as `growth`
/// says, `stream` telling tensors apart.
Tensor gathered(const Tensor& from, const Origins& rows, const Origins& cols, const Growth& growth,
                std::uint64_t stream);

/// The split of a batch of `old` rows for one of `now`.
std::vector<Slice> resized_split(const std::vector<Slice>& split, std::uint32_t old,
                                 std::uint32_t now, bool in_the_middle);

}  // namespace ulpfuzz::generators
