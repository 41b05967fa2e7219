#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

/// The random numbers of JAX, as far as reports need them.
namespace ulpfuzz::jax {

/// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
/// as 1, 2, 3", SC 2011): rotations of two words, a piece of the key added every four rounds.
inline std::array<std::uint32_t, 2> threefry2x32(const std::array<std::uint32_t, 2>& key,
                                                 std::array<std::uint32_t, 2> counter) {
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const std::uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  counter[0] += keys[0];
  counter[1] += keys[1];
  for (unsigned round = 0; round < 20; ++round) {
    counter[0] += counter[1];
    counter[1] = std::rotl(counter[1], rotations[round % 8]) ^ counter[0];
    if (round % 4 == 3) {
      const unsigned i = round / 4 + 1;
      counter[0] += keys[i % 3];
      counter[1] += keys[(i + 1) % 3] + i;
    }
  }
  return counter;
}

/// x with erf(x) = y, |y| < 1: Newton's method from a first guess of Winitzki's (2008).
inline double erfinv(double y) {
  constexpr double a = 0.147, pi = 3.14159265358979323846;
  const double log = std::log1p(-y * y), half = 2 / (pi * a) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), y);
  for (int i = 0; i < 4; ++i) x -= (std::erf(x) - y) * (std::sqrt(pi) / 2) * std::exp(x * x);
  return x;
}

/// jax.random.normal(jax.random.key(seed)) of one number, with partitionable counters (the default
/// since 0.5): element 0 is the exclusive or of the two words of counter 0; 23 bits of it make a
/// uniform number in [1, 2), which goes to (-1, 1) in fp32. Up to the error of XLA's erfinv.
inline double normal(std::uint32_t seed) {
  const auto words = threefry2x32({0, seed}, {0, 0});
  const std::uint32_t bits = words[0] ^ words[1];
  const float unit = std::bit_cast<float>(bits >> 9 | 0x3f800000u) - 1.0f;
  const float low = std::nextafter(-1.0f, 0.0f);
  const float uniform = std::fmax(low, unit * (1.0f - low) + low);
  return std::sqrt(2.0) * erfinv(uniform);
}

}  // namespace ulpfuzz::jax
