#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ulpfuzz::bounds::testing {

inline constexpr double u = 0x1p-24;  ///< unit roundoff of fp32

inline float left_to_right(const std::vector<float>& terms) {
  float s = 0;
  for (const float t : terms) s += t;
  return s;
}

inline std::vector<float> numbers(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (float& x : v) x = normal(random);
  return v;
}

inline void expect_between(double low, double value, double high) {
  EXPECT_GT(value, low);
  EXPECT_LT(value, high);
}

}  // namespace ulpfuzz::bounds::testing
