#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/search/features.hpp"

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

enum class Value : std::uint8_t {
  usual,
  zero,
  negative_zero,
  subnormal,
  tiny,  ///< below 2^-64
  huge,  ///< from 2^64 on
  infinity,
  nan
};
inline constexpr std::uint32_t value_kinds = 8;
inline constexpr std::array<std::string_view, value_kinds> value_names{
    "usual numbers", "zero", "-0", "subnormal", "tiny", "huge", "infinity", "NaN"};

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
inline constexpr std::array<std::string_view, split_kinds> split_names{
    "one slice",   "one slice of a part", "single rows",  "one row and the rest", "halves",
    "several",     "with an empty slice", "with padding", "with repeated rows",   "incomplete",
    "out of order"};

inline constexpr Group shares{0, 2 * tier_kinds* levels};
inline constexpr Group op_shares{shares.end(), 2 * op_numbers* op_levels};
inline constexpr Group op_octaves{op_shares.end(), op_numbers* octaves};
inline constexpr Group values{op_octaves.end(), 2 * value_kinds};
inline constexpr Group splits{values.end(), split_kinds};
inline constexpr Group alignments{splits.end(), 6 * 6 * 6};
inline constexpr Group sizes{alignments.end(), size_classes};
static_assert(sizes.end() <= feature_count);

/// Sizes of a product [m,k] [k,n]; a linear layer counts all rows of the batch.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
};
/// The one of the most multiplications; zeros where there is none.
Product largest_product(const Case& c);

/// Number of the first op at which the paths part. Where they agree, or what parts them is not
/// known: of the op that the output comes from, through those that only move elements.
std::uint32_t op_number(const Case& c, const Verdict& verdict);
std::string_view op_number_name(std::uint32_t number);

/// Ops that compute, on the longest path.
std::size_t depth(const Network& network);

}  // namespace ulpfuzz::search
