#include "../../bounds/typical_dot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bounds/arithmetics.hpp"
#include "bounds/sums.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::expect_between;
using testing::matmul_in;

double power(double x) { return x == 0 ? 0 : std::ldexp(1.0, std::ilogb(x)); }

// A block's products and the accumulator, cut toward zero to `fraction` bits of the largest.
double add_block(const std::vector<double>& products, double sum, std::size_t from, std::size_t to,
                 int fraction) {
  double largest = power(sum);
  for (std::size_t i = from; i < to; ++i) largest = std::max(largest, power(products[i]));
  const double quantum = std::ldexp(largest, -fraction);
  double total = std::trunc(sum / quantum);
  for (std::size_t i = from; i < to; ++i) total += std::trunc(products[i] / quantum);
  return round_to(total * quantum, Format::fp32, Rounding::toward_zero);
}

// Against the exact sum of converted products.
double unit_ratio(std::size_t n, bool positive, const Arithmetic& a) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> normal;
  double sum = 0;
  constexpr int samples = 400;
  for (int s = 0; s < samples; ++s) {
    std::vector<double> products(n);
    DotMoments moments;
    long double exact = 0;
    for (double& t : products) {
      t = round_to(normal(random), a.operand) * round_to(normal(random), a.operand);
      if (positive) t = std::fabs(t);
      moments.add(t);
      exact += t;
    }
    double accumulator = 0;
    for (std::size_t i = 0; i < n; i += a.unit.block)
      accumulator =
          add_block(products, accumulator, i, std::min(n, i + a.unit.block), a.unit.fraction);
    const auto error = static_cast<double>(accumulator - exact);
    sum += error * error / typical_dot(moments, a, true, true, nullptr);
  }
  return std::sqrt(sum / samples);
}

TEST(TypicalDot, KnowsTheBiasOfMatmulUnits) {
  Arithmetic a = matmul_in(Format::tf32);
  for (const MatmulUnit unit : {matmul_units::ampere_tf32, matmul_units::hopper_tf32}) {
    a.unit = unit;
    for (const std::size_t n : {64u, 256u, 1024u}) {
      expect_between(0.3, unit_ratio(n, false, a), 1.5);
      expect_between(0.4, unit_ratio(n, true, a), 1.2);
    }
  }
}

}  // namespace
}  // namespace ulpfuzz::bounds
