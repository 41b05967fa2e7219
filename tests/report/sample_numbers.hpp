#pragma once

#include <array>

#include "ulpfuzz/report/night.hpp"

/// Numbers such as a night of eight hours has, the same everywhere.
namespace ulpfuzz::samples {

inline constexpr std::array<const char*, 2> properties{"batched_vs_sliced", "loop_vs_vectorized"};
inline constexpr std::array<const char*, 9> subjects{"loops",
                                                     "eigen",
                                                     "openblas",
                                                     "simt/simple",
                                                     "simt/split-k",
                                                     "simt/tensor-core",
                                                     "reference/fp64",
                                                     "fault/neighbour_row",
                                                     "fault/tf32_above_8"};

void add_pairs(report::Night& night);
void add_statistics(report::Night& night);
void add_samples(report::Night& night);
/// Sixty nights.
void add_trend(report::Night& night);

}  // namespace ulpfuzz::samples
