#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "shuffled_block.hpp"
#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/kernels/element_programs.hpp"
#include "ulpfuzz/kernels/row_programs.hpp"

/// Launches on rows and elements in all the ways in which a host can run them.
namespace ulpfuzz::kernels {

using Floats = std::vector<float>;

inline std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }

/// NaNs agree as NaNs.
inline bool same_bits(float a, float b) {
  return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b));
}

inline void expect_bits(const Floats& actual, const Floats& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_TRUE(same_bits(actual[i], expected[i]))
        << what << ": " << actual[i] << " for " << expected[i] << " at " << i;
}

/// launch with its y replaced: `y` before and after. Nothing around it is written.
template <class Launch, class Run>
Floats result(Launch launch, const Floats& y, const Run& run) {
  constexpr std::size_t zone = 64;
  const float guard = __builtin_bit_cast(float, poison);
  Floats memory(y.size() + 2 * zone, guard);
  std::copy(y.begin(), y.end(), memory.begin() + zone);
  Floats workspace(workspace_of(launch), guard);
  launch.y = memory.data() + zone;
  run(launch, workspace.data());
  for (std::size_t i = 0; i < zone; ++i) {
    EXPECT_EQ(bits_of(memory[i]), poison);
    EXPECT_EQ(bits_of(memory[y.size() + zone + i]), poison);
  }
  return {memory.begin() + zone, memory.end() - zone};
}

template <class Launch>
Floats on_host(const Launch& launch, const Floats& y) {
  const auto device = make_host_device();
  return result(launch, y, [&](const Launch& l, float* workspace) {
    EXPECT_EQ(workspace_floats(l), workspace_of(l));
    device->launch(l, workspace);
  });
}

/// The launch gives `expected` on a host, and with threads and blocks in any order.
template <class Launch>
void expect_result(const Launch& launch, const Floats& y, const Floats& expected,
                   const std::string& what) {
  ASSERT_NO_FATAL_FAILURE(expect_bits(on_host(launch, y), expected, what));
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random}) {
    const Floats shuffled = result(launch, y, [&](const Launch& l, float* workspace) {
      with_programs(l, workspace, ShuffledRun(order, true));
    });
    ASSERT_NO_FATAL_FAILURE(expect_bits(shuffled, expected, what + ", shuffled"));
  }
}
/// Of a launch that writes all of its `count` results.
template <class Launch>
void expect_result(const Launch& launch, const Floats& expected, const std::string& what) {
  expect_result(launch, Floats(expected.size(), __builtin_bit_cast(float, poison)), expected, what);
}

enum class Values { moderate, wide, special };

inline float draw(Values values, std::mt19937& random) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array special = {0.0f,
                                  -0.0f,
                                  1.0f,
                                  -1.0f,
                                  Limits::max(),
                                  Limits::min(),
                                  0x1p-149f,
                                  -0x1p-149f,
                                  -Limits::max(),
                                  88.0f,
                                  -104.0f,
                                  0x1p64f,
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN()};
  const float x = std::normal_distribution<float>()(random);
  if (values == Values::wide) return std::ldexp(x, static_cast<int>(random() % 40) - 20);
  if (values == Values::special && random() % 4 == 0) return special[random() % special.size()];
  return x;
}
inline Floats draw(Values values, std::size_t count, std::mt19937& random) {
  Floats x(count);
  for (float& value : x) value = draw(values, random);
  return x;
}

/// use(rows, n, values) over shapes around the sizes of warps and blocks.
template <class Use>
void for_row_shapes(const Use& use) {
  for (const std::size_t rows : {0, 1, 2, 7, 33})
    for (const std::size_t n : {0, 1, 2, 3, 8, 9, 31, 32, 33, 127, 128, 129, 1000})
      for (const auto values : {Values::moderate, Values::wide, Values::special})
        ASSERT_NO_FATAL_FAILURE(use(n < 1000 ? rows : rows % 8, n, values));
}

/// a + b in the stated order of 128 threads, from `start`.
template <class Combine>
float in_row_order(const Floats& terms, float start, const Combine& combine) {
  std::array<float, 128> threads;
  threads.fill(start);
  for (std::size_t i = 0; i < terms.size(); ++i)
    threads[i % 128] = combine(threads[i % 128], terms[i]);
  for (const std::size_t mask : {16, 8, 4, 2, 1, 64, 32}) {
    const auto before = threads;
    for (std::size_t t = 0; t < 128; ++t) threads[t] = combine(before[t], before[t ^ mask]);
  }
  return threads[0];
}
inline float row_sum(const Floats& terms) {
  return in_row_order(terms, 0.0f, [](float a, float b) { return a + b; });
}

/// f(row) for each of the rows of x [rows, n], one after the other.
template <class F>
Floats by_rows(const Floats& x, std::size_t rows, std::size_t n, const F& f) {
  Floats y;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * n);
    const Floats row = f(Floats(begin, begin + static_cast<std::ptrdiff_t>(n)), r);
    y.insert(y.end(), row.begin(), row.end());
  }
  return y;
}

}  // namespace ulpfuzz::kernels
