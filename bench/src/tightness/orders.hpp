#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ulpfuzz::bench {

/// Orders in which the evaluations under judgement add; the bias comes last.
enum class Order { sequential, sequential_fused, pairwise, lanes_32_fused, split_4, adversarial };

inline constexpr std::array<std::string_view, 6> order_names{
    "sequential", "sequential FMA", "pairwise", "32 lanes FMA", "split-K 4", "adversarial"};

/// sum w_i x_i in fp32. `adversarial` adds the positive products, largest first, then the negative
/// ones: no other simple order lets partial sums grow as much.
float dot(Order order, const float* w, const float* x, std::size_t n, std::vector<float>& scratch);

}  // namespace ulpfuzz::bench
