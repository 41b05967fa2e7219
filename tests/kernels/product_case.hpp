#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "naive_orders.hpp"
#include "row_runs.hpp"
#include "shuffled_block.hpp"
#include "ulpfuzz/kernels/gemm_programs.hpp"

/// Products of random shapes and layouts, and all the ways in which a host can run them.
namespace ulpfuzz::kernels {

/// Owns what a Product points to.
struct Operands {
  Product product{};
  Floats a, b, bias;
};

/// Row-major or transposed operands; each its own for every entry, repeated or shared by all.
inline Operands operands(std::size_t m, std::size_t n, std::size_t k, Values values,
                         std::mt19937& random) {
  Operands o;
  Product& p = o.product;
  p.m = m, p.n = n, p.k = k;
  p.entries = 1 + random() % 3;
  const auto lay_out = [&](std::size_t rows, std::size_t columns, std::size_t& row,
                           std::size_t& column, std::size_t& entry, std::size_t& repeat) {
    const bool transposed = random() % 2 == 0;
    row = transposed ? 1 : columns;
    column = transposed ? rows : 1;
    entry = random() % 3 == 0 ? 0 : rows * columns;
    repeat = 1 + random() % 2;
    return draw(values, rows * columns * p.entries, random);
  };
  o.a = lay_out(m, k, p.a_row, p.a_step, p.a_entry, p.a_repeat);
  o.b = lay_out(k, n, p.b_step, p.b_column, p.b_entry, p.b_repeat);
  o.bias = draw(values, n, random);
  p.a = o.a.data(), p.b = o.b.data();
  p.bias = random() % 3 == 0 ? nullptr : o.bias.data();
  constexpr Phi phis[] = {Phi::identity, Phi::identity, Phi::relu,    Phi::leaky_relu,
                          Phi::tanh,     Phi::elu,      Phi::gelu_erf};
  p.phi = phis[random() % 7];
  p.alpha = 0.3f;
  return o;
}

/// y of a launch that `run` runs; nothing around y or its workspace is written.
template <class Launch, class Run>
Floats product_result(Launch launch, const Run& run) {
  constexpr std::size_t zone = 64;
  const float guard = __builtin_bit_cast(float, poison);
  const std::size_t count = launch.product.entries * launch.product.m * launch.product.n;
  const std::size_t needed = workspace_floats(launch);
  Floats y(count + 2 * zone, guard), workspace(needed + zone, guard);
  launch.product.y = y.data() + zone;
  run(launch, workspace.data());
  for (std::size_t i = 0; i < zone; ++i) {
    EXPECT_EQ(bits_of(y[i]), poison);
    EXPECT_EQ(bits_of(y[count + zone + i]), poison);
    EXPECT_EQ(bits_of(workspace[needed + i]), poison);
  }
  return {y.begin() + zone, y.end() - zone};
}

template <class Launch>
Floats product_on_host(const Launch& launch, Device& device) {
  return product_result(launch,
                        [&](const Launch& l, float* workspace) { device.launch(l, workspace); });
}
template <class Launch>
Floats product_on_host(const Launch& launch) {
  return product_on_host(launch, *make_host_device());
}

/// The launch gives what the naive order gives, on a host and with the threads of each phase in
/// other orders; so with blocks in other orders, unless they add to y as they come.
template <class Launch>
void expect_naive(const Launch& launch, bool shuffles_blocks, const std::string& what) {
  const Floats expected = naive::result(launch);
  ASSERT_NO_FATAL_FAILURE(expect_bits(product_on_host(launch), expected, what));
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random}) {
    const Floats shuffled = product_result(launch, [&](const Launch& l, float* workspace) {
      with_programs(l, workspace, ShuffledRun(order, shuffles_blocks));
    });
    ASSERT_NO_FATAL_FAILURE(expect_bits(shuffled, expected, what + ", shuffled"));
  }
}

}  // namespace ulpfuzz::kernels
