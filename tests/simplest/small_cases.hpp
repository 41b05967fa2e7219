#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::simplest {

/// Calls `visit` with cases of up to three nodes whose structural part of complexity() is below
/// `limit`; all numbers are zero. Networks: the input, up to two ops of an input of at most four
/// features, and every op of an input and a parameter of whatever shapes the limit leaves room for.
/// Batches: 1 to 4, half the limit's, and up to it. The split is one slice: the first row, the last
/// or all; unpadded, at each offset up to the limit's. With cotangents and without if `gradient`.
void each_below(const std::vector<std::uint64_t>& limit, bool gradient,
                const std::function<void(Case)>& visit);

}  // namespace ulpfuzz::simplest
