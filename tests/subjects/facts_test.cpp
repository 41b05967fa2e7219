#include <gtest/gtest.h>

#include "subjects/trials.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz {
namespace {

// c + sum of products, of a linear node whose accumulator starts at the bias c.
float sum_in(const MatmulUnit& unit, float c, const std::vector<float>& products,
             bool fused = false) {
  const auto k = static_cast<std::uint32_t>(products.size());
  Network n;
  const NodeId x = n.input(k);
  const NodeId w = n.parameter(1, k);
  n.output(n.linear(x, w, n.parameter(1, 1)));
  trials::Trial trial(n, 1, 1);
  trial.inputs[0].data.assign(k, 0x1p-12f);
  for (std::size_t i = 0; i < k; ++i) trial.parameters[0].data[i] = products[i] * 0x1p12f;
  trial.parameters[1].data[0] = c;
  Arithmetic a;
  a.operand = Format::tf32;
  a.unit = unit;
  const Summation s{.fused = fused, .bias_first = true};
  return trial.run(Emulated("", {.arithmetic = a, .summation = s}))[0][0];
}

TEST(Facts, F10_AMatmulUnitKeepsItsFractionalBitsAndCutsTheRest) {
  const std::vector<float> half_ulps(4, 0x1p-24f), quarter_ulps(4, 0x1p-25f);
  EXPECT_EQ(sum_in({4, 24}, 1, half_ulps), 1 + 0x1p-22f);
  EXPECT_EQ(sum_in({4, 23}, 1, half_ulps), 1);
  EXPECT_EQ(sum_in({4, 24}, 1, quarter_ulps), 1);
  EXPECT_EQ(sum_in({4, 25}, 1, quarter_ulps), 1 + 0x1p-23f);
  EXPECT_EQ(sum_in({}, 1, half_ulps, true), 1);
  EXPECT_EQ(sum_in({4, 24}, 1, {0x1p-23f, -0x1p-24f}), 1);
}

}  // namespace
}  // namespace ulpfuzz
