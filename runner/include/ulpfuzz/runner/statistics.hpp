#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/network/op.hpp"
#include "ulpfuzz/search/value_class.hpp"

namespace ulpfuzz {

/// Has the verdict a share of a bound? Not where nothing was judged, nor where a subject failed
/// without numbers, as by a crash.
bool is_measured(const Verdict& verdict);

/// Bins of shares: 0 for a share of 0 (equal bits), 1 for less than 2^-23, then one an octave
/// ([2^k, 2^(k+1)) for k = -23 .. 7), the last for 2^8 and more.
inline constexpr std::size_t share_bins = 34;
std::size_t share_bin(double share);
/// "0", "< 2^-23", "2^-3 .. 2^-2", ">= 2^8"
std::string share_bin_name(std::size_t bin);

/// Classes of sizes: 1, 2, 3..4, 5..8, 9..16, ... up to the last, which has no end.
inline constexpr std::size_t size_bins = 10;
std::size_t size_bin(std::uint64_t size);
std::string size_bin_name(std::size_t bin);  ///< "1", "5..8", "257.."

/// Of what is in a case's parameters and inputs; of tensors above 4,096 floats, in so many of them.
using search::value_classes;
using search::ValueClass;

/// What a campaign came to, as plain numbers that fit shared memory and add up.
struct Statistics {
  std::array<std::uint64_t, op_count> ops{};          ///< cases that have the op
  std::array<std::uint64_t, value_classes> values{};  ///< cases that have a value of the class
  std::array<std::uint64_t, size_bins> batches{}, slices{};  ///< cases by size_bin()
  /// By depth (ops on the longest path) and width (largest feature size), size_bin() of each.
  std::array<std::array<std::uint64_t, size_bins>, size_bins> sizes{};
  std::array<std::array<double, size_bins>, size_bins> worst{};  ///< largest share of judged cases

  void add(const Case& c, const Verdict& verdict);
  void add(const Statistics& other);
};

}  // namespace ulpfuzz
