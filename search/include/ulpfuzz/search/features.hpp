#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::search {

/// Marks of the thermometer: four an octave of share, from 2^-12 to 2^4. Never raw ulps: those
/// would lead to legitimate cancellation.
inline constexpr unsigned levels = 64;
/// 0 for a share below 2^-12 (or none), else 1..levels: floor(4 log2(share 2^12)) + 1, at most
/// `levels`; infinity too.
unsigned level(double share);

/// All numbers that features() gives are below this: small enough for a fuzzer's extra counters.
inline constexpr std::uint32_t feature_count = 4096;

/// What a trial showed, as numbers, ascending, each once. All marks up to the level of its share,
/// for the metric of the property and for the first diverging op (the op that the output comes
/// from, where nothing diverges), sound and probabilistic bounds apart: a sound bound is honestly
/// used up by one rounding. And of groups: first op with octave of share, special values in the
/// data, kinds of split, sizes of the largest product modulo what kernels are tiled by, class of
/// size. `gradient`: the property's metric. A function of its arguments alone.
std::vector<std::uint32_t> features(const Case& c, const Verdict& verdict, bool gradient);

/// Class of the sizes of a case: batch, width and depth in few steps.
std::uint32_t size_class(const Case& c);
inline constexpr std::uint32_t size_classes = 64;

}  // namespace ulpfuzz::search
