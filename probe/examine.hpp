#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sum_arithmetic.hpp"
#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {

/// Order and arithmetic of a site, as far as several calls agree about them.
struct Examined {
  bool steady = true;  ///< false: calls contradict one another, and nothing else is told
  std::optional<std::size_t> lost;  ///< a term that does not count; then nothing else is told
  SumTree tree;                     ///< not revealed, with why, where nothing is told
  SumArithmetic arithmetic;
};

/// Of a subject that does not claim to repeat itself, what looks steady is doubted: contradictory
/// counts or two measurements that differ mean the same as a call that gives other bits. Throws
/// SubjectFault.
Examined examine(Site& site, std::uint64_t seed);

}  // namespace ulpfuzz::probe
