#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "soundness/judge.hpp"

namespace ulpfuzz::bench {

/// Largest share of its sound bound that each op reaches alone, on exact operands of random
/// numbers, in fp32: what a bound that no evaluation comes near to would show. "tanh", "tanh'".
std::map<std::string, Count> sharpness(std::uint64_t seed, std::size_t cases);

}  // namespace ulpfuzz::bench
