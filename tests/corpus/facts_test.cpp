#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "jax_report.hpp"
#include "support/jax_random.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/subjects/emulated.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

/// Facts of the two public reports, by their numbers in docs/facts.md.
namespace ulpfuzz {
namespace {

Case seed_case(const std::string& name) {
  return read_case(std::filesystem::path(ULPFUZZ_SOURCE_DIR) / "corpus/seeds" /
                   (name + ".case.json"))
      .value;
}

TEST(Facts, F16_JaxDrawsTheNumbersThatItsManualPrints) {
  // Printed with 8 digits, and from an erfinv in fp32.
  EXPECT_NEAR(jax::normal(42), -0.028304616, 4e-9);
  EXPECT_NEAR(jax::normal(0), 1.6226422, 3e-7);
}

// How many of them come out where layer 1 of the small batch is fp32 and all else is `matmul`.
int reproduced(const Arithmetic& matmul) {
  const Case c = seed_case("jax-vmap-mlp");
  LayeredArithmetic first_in_fp32 = matmul;
  const auto& nodes = c.network.nodes();
  const auto linear =
      std::find_if(nodes.begin(), nodes.end(), [](const Node& n) { return n.op == Op::linear; });
  first_in_fp32.except = {{static_cast<NodeId>(linear - nodes.begin()), Arithmetic{}}};
  const float* x = c.inputs[0].data.data();
  Caller few, many;
  const Emulated layered("", {.arithmetic = first_in_fp32}), uniform("", {.arithmetic = matmul});
  const auto a = few.run(layered, c.network, c.parameters, 10, {&x, 1});
  const auto b = many.run(uniform, c.network, c.parameters, 10, {&x, 1});
  int count = 0;
  for (std::size_t i = 0; i < 20; ++i)
    count += same_bits(a.values[0][i] - b.values[0][i], reported[i]);
  return count;
}

TEST(Facts, F16_AllReportedDifferencesAreThoseOfFp32AgainstTf32InTheFirstLayer) {
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  tf32.conversion = Rounding::nearest_away;
  tf32.unit = matmul_units::ampere_tf32;
  EXPECT_EQ(reproduced(tf32), 20);
  Arithmetic hopper = tf32, sums_in_fp32 = tf32, cut = tf32;
  hopper.unit = matmul_units::hopper_tf32;
  sums_in_fp32.unit = {};
  cut.conversion = Rounding::toward_zero;
  EXPECT_EQ(reproduced(hopper), 18);
  EXPECT_EQ(reproduced(sums_in_fp32), 15);
  EXPECT_EQ(reproduced(cut), 0);
  EXPECT_EQ(reproduced({}), 4);  // the zeros
}

// Elements of a block of two Jacobians that differ.
std::size_t differing(const Jacobian& a, const Jacobian& b, std::size_t block) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.blocks[block].size(); ++i)
    count += !same_bits(a.blocks[block][i], b.blocks[block][i]) &&
             a.blocks[block][i] != b.blocks[block][i];
  return count;
}

TEST(Facts, F17_OrdersOfSummationReachTheJacobianOfTorchsReportOnlyThroughTheHiddenValues) {
  const Case c = seed_case("torch-jacobian-mlp");
  std::size_t parameters = 0;
  for (const Tensor& p : c.parameters) parameters += p.data.size();
  EXPECT_EQ(parameters, 15910u);

  const DerivedNetworks derived = derive(c.network);
  Caller caller;
  const Emulated loop("", {});
  const Jacobian one = jacobian_loop(caller, loop, c, derived);
  enum Block { input, w1, b1, w2, b2 };  // in this order
  ASSERT_EQ(one.blocks.size(), 5u);
  ASSERT_EQ(one.blocks[w1].size(), 2u * 10 * 784 * 20);
  std::size_t most = 0;
  for (const auto order :
       {Summation::Order::reversed, Summation::Order::pairwise, Summation::Order::lanes}) {
    for (const bool fused : {false, true}) {
      const Summation s{.order = order, .lanes = 32, .fused = fused};
      const Emulated vectorized("", {.summation = s});
      const Jacobian other = jacobian_reverse(caller, vectorized, c, derived);
      for (const Block block : {w1, b1, b2}) EXPECT_EQ(differing(one, other, block), 0u) << block;
      most = std::max(most, differing(one, other, w2));
    }
  }
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, 400u);
}

}  // namespace
}  // namespace ulpfuzz
