#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz {
namespace {

constexpr MatmulUnit units[] = {matmul_units::volta_half,  matmul_units::turing_half,
                                matmul_units::ampere_tf32, matmul_units::ampere_half,
                                matmul_units::hopper_tf32, matmul_units::hopper_half};
constexpr Format formats[] = {Format::fp32, Format::tf32, Format::bf16, Format::fp16};
constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::nearest_away,
                                  Rounding::toward_zero};
constexpr Split splits[] = {Split::none, Split::none, Split::bf16x3, Split::bf16x9, Split::tf32x3};

std::vector<float> by_kernel(const Arithmetic& a, const trials::Trial& trial, std::size_t rows,
                             std::size_t n, std::size_t k) {
  std::vector<float> y(rows * n);
  kernels::UnitGemm gemm;
  gemm.product = {.m = rows,
                  .n = n,
                  .k = k,
                  .a = trial.inputs[0].data.data(),
                  .a_row = k,
                  .a_step = 1,
                  .b = trial.parameters[0].data.data(),
                  .b_step = 1,
                  .b_column = k,
                  .bias = trial.parameters.size() > 1 ? trial.parameters[1].data.data() : nullptr,
                  .y = y.data()};
  gemm.unit = a.unit;
  gemm.operand = a.operand;
  gemm.conversion = a.conversion;
  gemm.split = a.split;
  gemm.accumulate = a.accumulate;
  gemm.flushes_subnormals = a.flushes_subnormals;
  kernels::make_host_device()->launch(gemm, nullptr);
  return y;
}

// The one converts whole operands and multiplies panel by panel, the other tile by tile.
TEST(UnitGemm, EqualsTheEmulationOfTheSameArithmetic) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % n; };
  std::size_t numbers = 0;
  for (int i = 0; i < 400; ++i) {
    Arithmetic a;
    a.unit = units[below(std::size(units))];
    a.operand = formats[below(std::size(formats))];
    a.conversion = roundings[below(std::size(roundings))];
    a.split = splits[below(std::size(splits))];
    a.flushes_subnormals = below(3) == 0;
    const bool half = below(4) == 0;
    if (half) a.accumulate = Format::fp16;
    const std::size_t rows = 1 + below(40), n = 1 + below(40), k = 1 + below(70);
    const auto size = [](std::size_t v) { return static_cast<std::uint32_t>(v); };
    Network network;
    const NodeId x = network.input(size(k)), w = network.parameter(size(n), size(k));
    // A kernel adds the bias in fp32, the emulation in the format of its sums.
    const bool biased = !half && below(2) == 0;
    network.output(biased ? network.linear(x, w, network.parameter(1, size(n)))
                          : network.linear(x, w));
    trials::Trial trial(network, rows, 1);
    const auto fill = [&](std::vector<float>& v) {
      for (float& e : v)
        e = std::ldexp(std::uniform_real_distribution<float>(-1.25f, 1.25f)(random),
                       i % 2 == 0 ? 0 : static_cast<int>(below(140)) - 80);
    };
    fill(trial.inputs[0].data);
    for (Tensor& p : trial.parameters) fill(p.data);
    const std::vector<float> expected = trial.run(Emulated("", {.arithmetic = a}))[0];
    const std::vector<float> got = by_kernel(a, trial, rows, n, k);
    for (std::size_t e = 0; e < got.size(); ++e) {
      ASSERT_TRUE(same_bits(got[e], expected[e]) || (std::isnan(got[e]) && std::isnan(expected[e])))
          << std::hexfloat << got[e] << " for " << expected[e] << ", element " << e << " of "
          << rows << "x" << n << "x" << k << ", case " << i;
      numbers += std::isfinite(got[e]) && got[e] != 0;
    }
  }
  EXPECT_GT(numbers, 10000);
}

}  // namespace
}  // namespace ulpfuzz
