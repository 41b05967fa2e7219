#pragma once

#include <cstdint>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/search/features.hpp"
#include "ulpfuzz/search/value_class.hpp"

namespace ulpfuzz::search {

/// Numbers first .. first + count - 1.
struct Group {
  std::uint32_t first = 0, count = 0;
  constexpr std::uint32_t end() const { return first + count; }
};

inline constexpr std::uint32_t op_numbers = 32;  ///< Op, and one for none of them
inline constexpr std::uint32_t octaves = 17;     ///< below 2^-12, then one an octave
inline constexpr std::uint32_t op_levels = levels / 2;
static_assert(op_count < op_numbers);

/// Which argument judged the worst element. A sound bound is often reached, since one rounding may
/// use all of it: climbing there must not hide that by chance, where only a fault goes far.
enum class TierKind : std::uint8_t { other, sound, probabilistic };
inline constexpr std::uint32_t tier_kinds = 3;
TierKind tier_kind(const Verdict& verdict);

enum class Split : std::uint8_t {
  whole,
  part,  ///< one slice, of some of the rows
  singles,
  one_and_rest,
  halves,
  several,  ///< more than two, not all single rows
  empty_slice,
  padding,
  repeated,    ///< a row occurs twice
  incomplete,  ///< rows that do not occur
  unsorted
};
inline constexpr std::uint32_t split_kinds = 11;

inline constexpr Group shares{0, 2 * tier_kinds* levels};
inline constexpr Group op_shares{shares.end(), 2 * op_numbers* op_levels};
inline constexpr Group op_octaves{op_shares.end(), op_numbers* octaves};
inline constexpr Group values{op_octaves.end(), 2 * std::uint32_t{value_classes}};
inline constexpr Group splits{values.end(), split_kinds};
inline constexpr Group alignments{splits.end(), 6 * 6 * 6};
inline constexpr Group sizes{alignments.end(), size_classes};
static_assert(sizes.end() <= feature_count);

/// The first number of a thermometer: of level(share) marks, of half as many for an op.
constexpr std::uint32_t share_marks(bool gradient, TierKind tier) {
  return shares.first + ((gradient ? tier_kinds : 0) + static_cast<std::uint32_t>(tier)) * levels;
}
constexpr std::uint32_t op_marks(std::uint32_t op, bool by_chance) {
  return op_shares.first + (op * 2 + (by_chance ? 1 : 0)) * op_levels;
}
constexpr std::uint32_t octave_feature(std::uint32_t op, std::uint32_t octave) {
  return op_octaves.first + op * octaves + octave;
}
constexpr std::uint32_t value_feature(ValueClass c, bool in_inputs) {
  return values.first + (in_inputs ? std::uint32_t{value_classes} : 0) +
         static_cast<std::uint32_t>(c);
}
constexpr std::uint32_t split_feature(Split s) {
  return splits.first + static_cast<std::uint32_t>(s);
}
/// How m, n and k are tiled: 0 for 1, 1 for an odd one, then divisible by 2, 4, 8, 16.
constexpr std::uint32_t alignment_feature(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  return alignments.first + (m * 6 + n) * 6 + k;
}

/// Sizes of a product [m,k] [k,n]; a linear layer counts all rows of the batch.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
};
/// The one of the most multiplications; zeros where there is none.
Product largest_product(const Case& c);

/// Number of the first op at which the paths part. Where they agree, or what parts them is not
/// known: of the op that the output comes from, through those that only move elements.
std::uint32_t op_number(const Case& c, const Verdict& verdict);

/// Ops that compute, on the longest path.
std::size_t depth(const Network& network);
/// Features of the widest value.
std::size_t width(const Network& network);

}  // namespace ulpfuzz::search
