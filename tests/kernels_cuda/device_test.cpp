#include "ulpfuzz/kernels/cuda/device.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "launches.hpp"
#include "on_device.hpp"

namespace ulpfuzz::kernels {
namespace {

using namespace testing_support;

class CudaDevice : public OnDevice {
 protected:
  // Released at the end of the test.
  float* floats(std::size_t count) {
    auto* memory = static_cast<float*>(device().allocate(count * sizeof(float)));
    allocated_.push_back(memory);
    return memory;
  }
  std::vector<float> downloaded(const float* from, std::size_t count) {
    std::vector<float> values(count);
    device().download(values.data(), from, count * sizeof(float));
    device().synchronize();
    return values;
  }
  // x = x + x, `times` times.
  void double_often(float* x, std::size_t count, int times) {
    for (int i = 0; i < times; ++i)
      device().launch(Map{.kind = Map::Kind::add, .x = x, .z = x, .count = count, .y = x}, nullptr);
  }
  void TearDown() override {
    for (float* memory : allocated_) device().release(memory);
  }

 private:
  std::vector<float*> allocated_;
};

TEST_F(CudaDevice, DescribesItself) {
  EXPECT_GE(cuda::architecture(), 80);
  EXPECT_EQ(device().architecture(), cuda::architecture());
  for (const char* part : {"sm_", "driver", "CUDA", "cuBLAS", "CUBLAS_WORKSPACE_CONFIG"})
    EXPECT_NE(device().environment().find(part), std::string::npos) << device().environment();
}

TEST_F(CudaDevice, GivesAlignedMemoryAlsoForNothing) {
  for (const std::size_t bytes : {0, 1, 5000, 1 << 20}) {
    void* memory = device().allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
    device().release(memory);
  }
}

TEST_F(CudaDevice, GivesReleasedMemoryAgainAndNeverTheSameTwice) {
  void* first = device().allocate(10'000);
  void* second = device().allocate(10'000);
  EXPECT_NE(first, second);
  device().release(first);
  EXPECT_EQ(device().allocate(10'000), first);
  device().release(first);
  device().release(second);
}

// More than goes through page-locked memory, and less.
TEST_F(CudaDevice, CopiesThereAndBack) {
  for (const std::size_t count : {1u, 1000u, 3'000'000u}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
    float* const memory = floats(count);
    device().upload(memory, values.data(), count * sizeof(float));
    EXPECT_EQ(downloaded(memory, count), values);
  }
}

TEST_F(CudaDevice, CopiesManyBuffersAtOnce) {
  constexpr std::size_t count = 10'000, buffers = 3'000;  // more than is page-locked
  float* const memory = floats(count);
  const std::vector<float> values(count, 7.0f);
  std::vector<std::vector<float>> results(buffers, std::vector<float>(count));
  device().upload(memory, values.data(), count * sizeof(float));
  for (auto& result : results) device().download(result.data(), memory, count * sizeof(float));
  device().synchronize();
  for (const auto& result : results) ASSERT_EQ(result, values);
}

TEST_F(CudaDevice, FillsWithTheBits) {
  float* const memory = floats(1001);
  device().fill(memory, 0x7fb12345, 1000);
  device().fill(memory + 1000, 0x3f800000, 1);
  device().fill(memory, 0, 0);
  const std::vector<float> values = downloaded(memory, 1001);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), 0x7fb12345u);
  EXPECT_EQ(values[1000], 1.0f);
}

// Long work on the first stream, so that a missing wait would be seen.
TEST_F(CudaDevice, ForkedStreamsBeginAfterTheCurrentOne) {
  constexpr std::size_t count = std::size_t{1} << 22;
  ASSERT_GE(device().streams(), 2u);
  float* const x = floats(count);
  std::vector<float*> y;
  for (unsigned s = 0; s < device().streams(); ++s) y.push_back(floats(count));
  device().fill(x, 0x3f800000, count);
  double_often(x, count, 60);
  device().fork();
  for (unsigned s = 1; s < device().streams(); ++s) {
    device().select(s);
    device().launch(Map{.kind = Map::Kind::add, .x = x, .z = x, .count = count, .y = y[s]},
                    nullptr);
  }
  device().synchronize();
  device().select(0);
  for (unsigned s = 1; s < device().streams(); ++s) {
    const std::vector<float> values = downloaded(y[s], count);
    EXPECT_EQ(values.front(), 0x1p61f);
    EXPECT_EQ(values.back(), 0x1p61f);
  }
}

TEST_F(CudaDevice, AJoinedStreamBeginsAfterAllOthers) {
  constexpr std::size_t count = std::size_t{1} << 20;
  std::vector<float*> x;
  for (unsigned s = 0; s < device().streams(); ++s) {
    x.push_back(floats(count));
    device().select(s);
    device().fill(x[s], 0x3f800000, count);
    double_often(x[s], count, 60);
  }
  float* const y = floats(count);
  device().select(2);
  device().join();
  device().fill(y, 0, count);
  for (unsigned s = 0; s < device().streams(); ++s)
    device().launch(Map{.kind = Map::Kind::add, .x = x[s], .z = y, .count = count, .y = y},
                    nullptr);
  const std::vector<float> values = downloaded(y, count);
  EXPECT_EQ(values.front(), static_cast<float>(device().streams()) * 0x1p60f);
  EXPECT_EQ(values.back(), values.front());
}

TEST_F(CudaDevice, ComputesTheSameOnEveryStream) {
  const auto host = make_host_device();
  for (const Problem& problem : gemm_problems(Values::ordinary)) {
    device().select(static_cast<unsigned>(problem.memory.size() / 4 % device().streams()));
    EXPECT_EQ(difference(problem, run(device(), problem), run(*host, problem)), "");
  }
}

}  // namespace
}  // namespace ulpfuzz::kernels
