#pragma once

#include <cstddef>
#include <cstdint>

namespace ulpfuzz::probe {

/// A small generator (SplitMix64): test vectors and pivots need no more.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  /// [1, 2), all 24 bits random.
  float significand() { return 1.0f + static_cast<float>(bits() >> 41) * 0x1p-23f; }
  /// Either sign, magnitudes of [1/2, 2).
  float number() {
    const float x = significand() * (bits() % 2 == 0 ? 1.0f : 0.5f);
    return bits() % 2 == 0 ? x : -x;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ulpfuzz::probe
