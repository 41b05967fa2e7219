#include "ulpfuzz/kernels/cuda/dense.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "ulpfuzz/kernels/cuda/device.hpp"
#include "ulpfuzz/kernels/dense.hpp"

namespace ulpfuzz::kernels {
namespace {

std::vector<float> random_values(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

class CudaLinear : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = cuda::unavailable()) GTEST_SKIP() << *reason;
  }
};

TEST_F(CudaLinear, GivesTheBitsOfTheHostBuild) {
  std::mt19937 random(1);
  std::size_t compared = 0;
  for (std::size_t rows : {1, 3, 65})
    for (std::size_t k : {0, 1, 31, 128})
      for (std::size_t n : {1, 7, 33})
        for (bool with_bias : {false, true}) {
          const auto x = random_values(rows * k, random), w = random_values(n * k, random);
          const auto b = random_values(n, random);
          const float* bias = with_bias ? b.data() : nullptr;
          std::vector<float> y(rows * n, -1);
          cuda::linear(x.data(), w.data(), bias, rows, k, n, y.data());
          for (std::size_t i = 0; i < y.size(); ++i, ++compared) {
            const float host = linear_element(x.data(), w.data(), bias, k, i / n, i % n);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(y[i]), std::bit_cast<std::uint32_t>(host))
                << "rows " << rows << ", k " << k << ", n " << n << ", element " << i;
          }
        }
  EXPECT_GT(compared, 10'000u);
}

TEST_F(CudaLinear, WritesNothingForNoRows) {
  float y = 5;
  cuda::linear(nullptr, &y, nullptr, 0, 1, 1, &y);
  EXPECT_EQ(y, 5);
}

TEST(CudaDevice, SaysWhyItIsUnavailable) {
  if (const auto reason = cuda::unavailable()) {
    EXPECT_FALSE(reason->empty());
    float v = 1, y = 0;
    EXPECT_THROW(cuda::linear(&v, &v, nullptr, 1, 1, 1, &y), std::runtime_error);
  } else {
    GTEST_SKIP() << "there is a CUDA device";
  }
}

}  // namespace
}  // namespace ulpfuzz::kernels
