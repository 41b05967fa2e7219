#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::u;

/// Elementary functions that err as much as their claim allows, to the side `direction` says.
struct Elementary {
  int direction = 0;
  bool fast = false;

  static float off(double exact, double ulps, int direction) {
    const float y = static_cast<float>(exact);
    const double gap =
        std::nextafter(std::fabs(y), std::numeric_limits<float>::infinity()) - std::fabs(y);
    return static_cast<float>(exact + direction * (ulps - 0.5) * gap);
  }
  float exp(float x) const {
    const double ulps = fast ? 3 + std::floor(1.173 * std::fabs(x)) : 2.5;
    return off(std::exp(double{x}), ulps, direction);
  }
  float expm1(float x) const { return off(std::expm1(double{x}), fast ? 3 : 2.5, direction); }
  float log1p(float x) const { return off(std::log1p(double{x}), 3.5, direction); }
  float tanh(float x) const {
    if (!fast) return off(std::tanh(double{x}), 6, direction);
    return static_cast<float>(std::tanh(double{x}) * (1 + direction * 0.999 * 0x1p-11));
  }
};

using Formula = std::function<float(const Elementary&, float)>;

struct Subject {
  const char* name;
  Op op;
  bool slope;
  bool accurate;  ///< keeps relative accuracy
  Formula formula;
};

float by_exp(const Elementary& f, float x) { return 1 / (1 + f.exp(-x)); }
float by_tanh(const Elementary& f, float x) { return 0.5f * (1 + f.tanh(0.5f * x)); }
float gelu_argument(float x) { return 0.7978846f * (x + 0.044715f * x * x * x); }

const std::vector<Subject> subjects = {
    {"tanh", Op::tanh, false, true, [](auto& f, float x) { return f.tanh(x); }},
    {"tanh by exp", Op::tanh, false, false,
     [](auto& f, float x) { return 1 - 2 / (f.exp(2 * x) + 1); }},
    {"sigmoid", Op::sigmoid, false, true, by_exp},
    {"sigmoid by tanh", Op::sigmoid, false, false, by_tanh},
    {"silu", Op::silu, false, true, [](auto& f, float x) { return x / (1 + f.exp(-x)); }},
    {"silu, multiplied", Op::silu, false, true, [](auto& f, float x) { return x * by_exp(f, x); }},
    {"silu by tanh", Op::silu, false, false, [](auto& f, float x) { return x * by_tanh(f, x); }},
    {"softplus", Op::softplus, false, true,
     [](auto& f, float x) { return std::max(x, 0.0f) + f.log1p(f.exp(-std::fabs(x))); }},
    {"softplus, one term", Op::softplus, false, true,
     [](auto& f, float x) { return f.log1p(f.exp(x)); }},
    {"elu", Op::elu, false, true, [](auto& f, float x) { return x > 0 ? x : 0.7f * f.expm1(x); }},
    {"elu by exp", Op::elu, false, false,
     [](auto& f, float x) { return x > 0 ? x : 0.7f * (f.exp(x) - 1); }},
    {"gelu_tanh", Op::gelu_tanh, false, false,
     [](auto& f, float x) { return 0.5f * x * (1 + f.tanh(gelu_argument(x))); }},
    {"gelu_tanh by exp", Op::gelu_tanh, false, false,
     [](auto& f, float x) { return x * by_exp(f, 2 * gelu_argument(x)); }},
    {"tanh'", Op::tanh, true, false, [](auto& f, float x) { return 1 - f.tanh(x) * f.tanh(x); }},
    {"tanh' by exp", Op::tanh, true, false,
     [](auto& f, float x) {
       const float t = 1 - 2 / (f.exp(2 * x) + 1);
       return 1 - t * t;
     }},
    {"sigmoid'", Op::sigmoid, true, false,
     [](auto& f, float x) { return by_exp(f, x) * (1 - by_exp(f, x)); }},
    {"sigmoid' by tanh", Op::sigmoid, true, false,
     [](auto& f, float x) { return by_tanh(f, x) * (1 - by_tanh(f, x)); }},
    {"silu'", Op::silu, true, false,
     [](auto& f, float x) {
       const float s = by_exp(f, x);
       return s * (1 + x * (1 - s));
     }},
    {"silu' by tanh", Op::silu, true, false,
     [](auto& f, float x) {
       const float s = by_tanh(f, x);
       return s + x * s * (1 - s);
     }},
    {"softplus'", Op::softplus, true, true, by_exp},
    {"elu'", Op::elu, true, false, [](auto& f, float x) { return x > 0 ? 1 : 0.7f * f.exp(x); }},
    {"gelu_erf'", Op::gelu_erf, true, false,
     [](auto& f, float x) {
       const float half = 0.5f * (1 + std::erf(x * 0.70710678f));
       return half + x * 0.39894228f * f.exp(-0.5f * x * x);
     }},
    {"gelu_tanh'", Op::gelu_tanh, true, false, [](auto& f, float x) {
       const float t = f.tanh(gelu_argument(x));
       const float inner = 0.7978846f * (1 + 3 * 0.044715f * x * x);
       return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * inner;
     }}};

std::vector<float> arguments() {
  std::mt19937_64 random(1);
  std::vector<float> x;
  std::uniform_real_distribution<float> mantissa(1, 2), usual(-12, 12);
  for (int e = -40; e < 6; ++e)
    for (int i = 0; i < 40; ++i)
      x.push_back(std::ldexp(i % 2 ? mantissa(random) : -mantissa(random), e));
  for (int i = 0; i < 4000; ++i) x.push_back(usual(random));
  return x;
}

/// Bounds of all elements of phi(x), or phi'(x).
OutputBounds formula_bounds(testing::Bench& b, const Subject& s, const std::vector<float>& x,
                            const Arithmetic& a) {
  const NodeId in = b.network.input(static_cast<std::uint32_t>(x.size()));
  const float alpha = s.op == Op::elu ? 0.7f : 1;
  b.network.output(s.slope ? b.network.derivative(s.op, in, alpha)
                           : b.network.activation(s.op, in, alpha));
  return b.run({x}, a);
}

double worst_share(const Subject& s, const Arithmetic& a, bool fast) {
  const std::vector<float> x = arguments();
  testing::Bench b;
  const OutputBounds y = formula_bounds(b, s, x, a);
  double worst = 0;
  for (const int direction : {-1, 0, 1})
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float computed = s.formula({direction, fast}, x[i]);
      if (!std::isfinite(computed)) continue;
      const double share = std::fabs(computed - y.reference[i]) / std::max(y.sound[i], 1e-300);
      if (computed != y.reference[i] && share > worst) worst = share;
    }
  return worst;
}

class AnyFormula : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return subjects[GetParam()]; }
};

TEST_P(AnyFormula, ErrsWithinTheEnvelopeWhicheverWayItsFunctionsErr) {
  const double worst = worst_share(subject(), {}, false);
  EXPECT_LE(worst, 1) << subject().name;
  EXPECT_GT(worst, 0.1) << subject().name;
}

TEST_P(AnyFormula, ErrsWithinTheEnvelopeOfFastFunctions) {
  Arithmetic fast;
  fast.elementary = fast_functions;
  const double worst = worst_share(subject(), fast, true);
  EXPECT_LE(worst, 1) << subject().name;
  EXPECT_GT(worst, 1e-4) << subject().name;
}

TEST_P(AnyFormula, IsBoundedMoreTightlyWhereOnlyAccurateOnesAreUsed) {
  if (!subject().accurate) return;
  Arithmetic accurate;
  accurate.formulas = Formulas::accurate;
  const double worst = worst_share(subject(), accurate, false);
  EXPECT_LE(worst, 1) << subject().name;
  EXPECT_GT(worst, 0.2) << subject().name;
  accurate.elementary = fast_functions;
  EXPECT_LE(worst_share(subject(), accurate, true), 1) << subject().name;
}

INSTANTIATE_TEST_SUITE_P(All, AnyFormula, ::testing::Range<std::size_t>(0, subjects.size()));

TEST(AccurateFormulas, KeepRelativeAccuracyWhereTheUsualOnesDoNot) {
  Arithmetic accurate;
  accurate.formulas = Formulas::accurate;
  for (const Op op : {Op::tanh, Op::sigmoid, Op::silu, Op::softplus, Op::elu}) {
    const float x = op == Op::tanh || op == Op::elu ? -0x1p-20f : -20;
    const Subject s{"", op, false, true, {}};
    testing::Bench strict, any;
    const OutputBounds y = formula_bounds(strict, s, {x}, accurate);
    EXPECT_LE(y.sound[0], 16 * u * std::fabs(y.reference[0]));
    EXPECT_GE(formula_bounds(any, s, {x}, {}).sound[0], 100 * y.sound[0]);
  }
}

/// A maximum and the sum of e^(x - maximum), every exponential too large by 2 kappa u of itself.
struct OnlineSum {
  double top, sum;

  OnlineSum operator+(const OnlineSum& o) const {
    const double high = std::max(top, o.top);
    return {high, scaled(high) + o.scaled(high)};
  }
  double scaled(double to) const { return top == to ? sum : sum * (exp(top - to) * err); }
  static double exp(double x) { return std::exp(x); }
  static constexpr double kappa = 100, err = 1 + 2 * kappa * u;
};

// The logits rise such that all of a thread's partners rescale what it has.
TEST(Softmax, CoversOnlineSumsThatMeetByTwos) {
  Arithmetic a;
  a.elementary.exp = OnlineSum::kappa;
  for (const unsigned bits : {1u, 2u, 3u, 4u, 5u, 7u})
    for (const unsigned n : {1u << bits, (1u << bits) - (1u << bits) / 4}) {
      std::vector<float> x(n);
      for (unsigned t = 0; t < n; ++t)
        for (unsigned b = 0; b < bits; ++b)
          if (t >> b & 1) x[t] += std::ldexp(1.0f, static_cast<int>(bits - b) - 20);
      std::vector<OnlineSum> sums;
      for (const float v : x) sums.push_back({v, 1});
      for (unsigned half = 1u << bits >> 1; half > 0; half /= 2) {
        for (unsigned t = half; t < sums.size(); ++t) sums[t - half] = sums[t - half] + sums[t];
        sums.resize(std::min<std::size_t>(sums.size(), half));
      }
      testing::Bench b;
      b.network.output(b.network.softmax(b.network.input(n)));
      const OutputBounds y = b.run({x}, a);
      const double computed = std::exp(x[0] - sums[0].top) * (2 - OnlineSum::err) / sums[0].sum;
      const double share = std::fabs(computed - y.reference[0]) / y.sound[0];
      EXPECT_LE(share, 1) << n;
      EXPECT_GE(share, 0.25) << n;
    }
}

TEST(FastFunctions, WidenSoftmaxByTheDistanceOfItsLogits) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<float> logit(-20, 20);
  Arithmetic fast;
  fast.elementary = fast_functions;
  testing::Bench b;
  b.network.output(b.network.softmax(b.network.input(24)));
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<float> x(24);
    for (float& v : x) v = logit(random);
    const OutputBounds y = b.run({x}, fast);
    const Elementary f{trial % 3 - 1, true};
    const float top = *std::max_element(x.begin(), x.end());
    std::vector<float> e;
    float total = 0;
    for (const float v : x) {
      // Numerators and denominator err to opposite sides.
      e.push_back(f.exp(v - top));
      total += Elementary{-f.direction, true}.exp(v - top);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double share = std::fabs(e[i] / total - y.reference[i]) / y.sound[i];
      ASSERT_LE(share, 1);
      worst = std::max(worst, share);
    }
  }
  EXPECT_GT(worst, 0.2);
}

}  // namespace
}  // namespace ulpfuzz::bounds
