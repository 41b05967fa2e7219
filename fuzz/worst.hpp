#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ulpfuzz/search/pool.hpp"

namespace ulpfuzz::fuzz {

/// The worst cases so far, a pool for each subject. libFuzzer keeps what shows something new, but
/// goes on from what is rare, which the largest shares are not.
class Worst {
 public:
  explicit Worst(std::size_t subjects) : pools_(subjects) {}

  void offer(std::size_t subject, const Case& c, const Verdict& verdict);
  /// A change of one of them, or a case drawn anew; the same for the same seed and history.
  Case next(std::uint64_t seed, const generators::Limits& limits);

 private:
  std::vector<search::Pool> pools_;
};

}  // namespace ulpfuzz::fuzz
