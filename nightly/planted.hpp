#pragma once

#include <array>

#include "ulpfuzz/runner/campaign_result.hpp"

namespace ulpfuzz::nightly {

struct Planted {
  const char* subject;
  FailureClass failure;
};

/// Faults that the self-check must catch: of different kinds, each so frequent in random cases that
/// one case in eight or more of the property that sees it fails.
inline constexpr std::array planted{Planted{"fault/tf32_above_8", FailureClass::beyond_bound},
                                    Planted{"fault/dropped_tail", FailureClass::beyond_bound},
                                    Planted{"fault/neighbour_row", FailureClass::beyond_bound},
                                    Planted{"fault/gradient_in_fp16", FailureClass::beyond_bound},
                                    Planted{"fault/unwritten_tail", FailureClass::unwritten},
                                    Planted{"fault/crashes_above_batch", FailureClass::crash}};

}  // namespace ulpfuzz::nightly
