#include "ulpfuzz/bounds/outer_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bounds/network_support.hpp"
#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

constexpr std::size_t batch = 2, outputs = 3;
constexpr double least_normal = 0x1p-126;

/// The vjp of x -> linear -> relu or tanh -> linear, all cotangents at once. Output 1 is the first
/// layer's weight gradient, output 3 the second's.
struct Gradients : testing::Bench {
  std::mt19937 random;
  std::vector<std::vector<float>> inputs;

  std::vector<float> numbers(std::size_t n) {
    std::normal_distribution<float> normal;
    std::vector<float> v(n);
    for (float& x : v) x = normal(random);
    return v;
  }

  Gradients(unsigned seed, std::uint32_t in, std::uint32_t hidden) : random(seed) {
    Network primal;
    NodeId h = primal.input(in);
    const NodeId weight = primal.parameter(hidden, in);
    h = primal.linear(h, weight, primal.parameter(1, hidden));
    h = primal.activation(seed % 2 == 0 ? Op::relu : Op::tanh, h);
    primal.output(primal.linear(h, primal.parameter(outputs, hidden)));
    network = vjp(primal, outputs);
    for (const Shape s : {Shape{hidden, in}, Shape{1, hidden}, Shape{outputs, hidden}})
      parameters.emplace_back(s.rows, s.cols, numbers(s.size()));
    inputs = {numbers(batch * in), std::vector<float>(batch * outputs * outputs)};
    for (std::size_t i = 0; i < batch * outputs; ++i) inputs[1][i * outputs + i % outputs] = 1;
  }
};

double radius_of(const OuterBounds& o, std::size_t i, std::size_t j) {
  return o.per_size[i] * std::fabs(o.h[j]) + o.per_error[i] * o.h_error[j] + o.constant[i];
}
double sigma_of(const OuterBounds& o, std::size_t i, std::size_t j) {
  const double p = o.deviation_per_size[i] * std::fabs(o.h[j]);
  const double q = o.deviation_per_deviation[i] * o.h_deviation[j];
  return std::max(p, q) + 0.5 * std::min(p, q);
}

void expect_just_below(double quick, double full) {
  EXPECT_LE(quick, full);
  EXPECT_GE(quick, full * (1 - 0x1p-38));
}

TEST(OuterProduct, BoundsAreThoseOfItsElementsButForAHair) {
  std::size_t elements = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Gradients g(seed, 1 + seed, 1 + seed % 9);
    g.run(batch, g.inputs);
    for (const std::size_t output : {1u, 3u}) {
      for (std::size_t e = 0; e < batch * outputs; ++e) {
        const auto outer = g.analysis.outer(output, e);
        ASSERT_TRUE(outer.has_value());
        const OutputBounds y = g.analysis.entry_output(output, e);
        ASSERT_EQ(y.sound.size(), outer->rows * outer->cols);
        for (std::size_t k = 0; k < y.sound.size(); ++k) {
          const std::size_t i = k / outer->cols, j = k % outer->cols;
          EXPECT_EQ(outer->g[i] * outer->h[j], y.reference[k]);
          expect_just_below(radius_of(*outer, i, j), y.sound[k]);
          expect_just_below(sigma_of(*outer, i, j), y.sigma[k]);
          EXPECT_EQ(radius_of(*outer, i, j) == 0, y.judgement[k] == Judgement::exact);
          ++elements;
        }
      }
    }
  }
  EXPECT_GT(elements, 5000u);
}

TEST(OuterProduct, EntriesAreThoseOfTheWholeOutput) {
  Gradients g(1, 7, 5), whole(1, 7, 5);
  g.run(batch, g.inputs);
  whole.run(batch, whole.inputs);
  for (std::size_t output = 0; output < 4; ++output) {
    const OutputBounds all = whole.analysis.output(output);
    EXPECT_FALSE(whole.analysis.outer(output, 0).has_value()) << "its elements are there";
    const std::size_t size = all.sound.size() / (batch * outputs);
    for (std::size_t e = 0; e < batch * outputs; ++e) {
      const OutputBounds one = g.analysis.entry_output(output, e);
      ASSERT_EQ(one.sound.size(), size);
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(one.reference[i], all.reference[e * size + i]);
        EXPECT_EQ(one.sound[i], all.sound[e * size + i]);
        EXPECT_EQ(one.sigma[i], all.sigma[e * size + i]);
        EXPECT_EQ(one.local[i], all.local[e * size + i]);
        EXPECT_EQ(one.judgement[i], all.judgement[e * size + i]);
      }
    }
  }
}

TEST(OuterProduct, IsLeftToItsElementsWhereItMayOverflowOrIsExact) {
  Gradients large(2, 4, 3);
  for (float& x : large.inputs[0]) x *= 1e30f;
  large.run(batch, large.inputs);
  EXPECT_FALSE(large.analysis.outer(1, 0).has_value());
  Gradients exact(2, 4, 3);
  for (std::vector<float>* v : {&exact.inputs[0], &exact.parameters[0].data,
                                &exact.parameters[1].data, &exact.parameters[2].data})
    for (float& x : *v) x = std::round(4 * x);
  exact.run(batch, exact.inputs);
  EXPECT_FALSE(exact.analysis.outer(1, 0).has_value());
  EXPECT_EQ(exact.analysis.entry_output(1, 0).judgement[0], Judgement::exact);
}

/// What the elementwise rule lets pass, from the bounds that `output` gives.
bool passes(double difference, double b1, double sigma, const RunLimits& l) {
  const double b2 = std::max(l.lambda * sigma, least_normal);
  return difference <= std::min(b1, b2) && difference <= l.share_sound * b1 &&
         difference <= l.share_tightest * std::min(b1, b2);
}

/// Rows of equal bits need not be held against the reference when paths are compared.
bool all_pass(const OutputBounds& y, std::size_t cols, const std::vector<float>& a,
              const std::vector<float>& b, const RunLimits& l, bool equal_rows_too) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto row = static_cast<std::ptrdiff_t>(i / cols * cols);
    const auto end = row + static_cast<std::ptrdiff_t>(cols);
    const bool equal = std::equal(a.begin() + row, a.begin() + end, b.begin() + row);
    if (equal && !equal_rows_too && l.comparison != Comparison::reference) continue;
    const double x = a[i], z = b[i], reference = y.reference[i];
    const bool both = l.comparison == Comparison::paths;
    const double other = l.comparison == Comparison::reference ? reference : z;
    if (!passes(std::fabs(x - other), (both ? 2 : 1) * y.sound[i],
                (both ? std::sqrt(2.0) : 1) * y.sigma[i], l))
      return false;
    if (both && !passes(std::fabs(x - reference), y.sound[i], y.sigma[i], l)) return false;
    if (both && !passes(std::fabs(z - reference), y.sound[i], y.sigma[i], l)) return false;
  }
  return true;
}

class Perturbed : public ::testing::TestWithParam<Comparison> {};

TEST_P(Perturbed, PassesNoRunWithAnElementBeyondItsLimit) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::size_t passed = 0, failed = 0, refused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Gradients g(seed, 1 + seed % 19, 2 + seed % 7);
    g.run(batch, g.inputs);
    for (std::size_t e = 0; e < batch * outputs; ++e) {
      const auto outer = g.analysis.outer(1, e);
      ASSERT_TRUE(outer.has_value());
      const OutputBounds y = g.analysis.entry_output(1, e);
      RunLimits limits{8, seed % 3 == 0 ? 0.25 : 1.0, seed % 5 == 0 ? 0.5 : 1.0, GetParam()};
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<float> a(y.sound.size()), b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          const double least = 0.05 * std::min(y.sound[i], y.sigma[i]);
          a[i] = static_cast<float>(y.reference[i] + least * uniform(random));
          b[i] = static_cast<float>(y.reference[i] + least * uniform(random));
        }
        // One element at the very edge of what is allowed, by a few of its own ulps.
        const std::size_t k = random() % a.size();
        const double both = GetParam() == Comparison::paths ? 2 : 1;
        const double b1 = both * y.sound[k];
        const double tightest = std::min(b1, 8 * std::sqrt(both) * y.sigma[k]);
        const double edge = std::min(limits.share_sound * b1, limits.share_tightest * tightest);
        const double from = GetParam() == Comparison::reference ? y.reference[k] : double{b[k]};
        a[k] = static_cast<float>(from + (trial % 2 == 0 ? edge : -edge));
        for (int step = trial % 5; step > 2; --step)
          a[k] = std::nextafter(a[k], std::numeric_limits<float>::infinity());
        if (trial % 2 == 0) std::swap(a[k], b[k]);
        if (GetParam() == Comparison::reference) b = a;
        const bool right = all_pass(y, outer->cols, a, b, limits, false);
        const bool quick = compare(*outer, a.data(), b.data(), limits).passes;
        EXPECT_TRUE(right || !quick) << "seed " << seed << " entry " << e << " trial " << trial;
        passed += quick;
        failed += !right;
        refused += !quick && all_pass(y, outer->cols, a, b, limits, true);
      }
    }
  }
  EXPECT_GT(passed, 1000u);
  EXPECT_GT(failed, 1000u);
  EXPECT_LT(refused, passed / 100 + 10);
}

INSTANTIATE_TEST_SUITE_P(All, Perturbed,
                         ::testing::Values(Comparison::paths, Comparison::first,
                                           Comparison::reference));

TEST(OuterProduct, RefusesAnElementThatIsNotFinite) {
  Gradients g(3, 9, 4);
  g.run(batch, g.inputs);
  const auto outer = g.analysis.outer(1, 0);
  ASSERT_TRUE(outer.has_value());
  const OutputBounds y = g.analysis.entry_output(1, 0);
  std::vector<float> a;
  for (const double x : y.reference) a.push_back(static_cast<float>(x));
  const RunLimits limits{8, 1, 1, Comparison::paths};
  const RunCounts all = compare(*outer, a.data(), a.data(), limits);
  EXPECT_TRUE(all.passes);
  EXPECT_EQ(all.equal, a.size());
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::vector<float> b = a;
      b[i] = wrong;
      EXPECT_FALSE(compare(*outer, a.data(), b.data(), limits).passes) << i;
      EXPECT_FALSE(compare(*outer, b.data(), a.data(), limits).passes) << i;
      const RunLimits alone{8, 1, 1, Comparison::reference};
      EXPECT_FALSE(compare(*outer, b.data(), b.data(), alone).passes) << i;
    }
  }
}

/// The product of a column and a row, both inputs: an outer product.
struct Outer : testing::Bench {
  Outer() {
    const NodeId column = network.input(Shape{5, 1});
    network.output(network.matmul(column, network.input(Shape{1, 9})));
  }
};

std::vector<float> spread(std::size_t n, float from) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = from + 0.1234567f * static_cast<float>(i);
  return v;
}

TEST(OuterProduct, OutsideTheMatmulUnitIsThatOfPlainArithmetic) {
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  tf32.unit = matmul_units::ampere_tf32;
  Arithmetic outside = tf32;
  outside.outer_by_matmul = false;
  const std::vector<std::vector<float>> inputs = {spread(5, -0.3f), spread(9, 0.7f)};
  Outer plain, unit, apart;
  const OutputBounds expected = plain.run(1, inputs);
  const OutputBounds y = apart.run(1, inputs, outside);
  const OutputBounds by_unit = unit.run(1, inputs, tf32);
  for (std::size_t i = 0; i < y.sound.size(); ++i) {
    EXPECT_EQ(y.sound[i], expected.sound[i]);
    EXPECT_EQ(y.sigma[i], expected.sigma[i]);
    const double g = inputs[0][i / 9], h = inputs[1][i % 9];
    const double computed = round_to(g, Format::tf32) * round_to(h, Format::tf32);
    EXPECT_NEAR(by_unit.sound[i], std::fabs(computed - g * h), std::fabs(g * h) * 1e-9);
  }
}

TEST(OuterProduct, KeepsItsFactorsOutsideTheMatmulUnit) {
  Gradients g(3, 6, 5);
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  g.run(batch, g.inputs, tf32);
  EXPECT_FALSE(g.analysis.outer(1, 0).has_value());
  tf32.outer_by_matmul = false;
  g.run(batch, g.inputs, tf32);
  ASSERT_TRUE(g.analysis.outer(1, 0).has_value());
  const OuterBounds outer = *g.analysis.outer(1, 0);
  const OutputBounds y = g.analysis.entry_output(1, 0);
  for (std::size_t k = 0; k < y.sound.size(); ++k)
    expect_just_below(radius_of(outer, k / outer.cols, k % outer.cols), y.sound[k]);
}

}  // namespace
}  // namespace ulpfuzz::bounds
