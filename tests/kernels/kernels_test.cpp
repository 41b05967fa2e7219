#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ulpfuzz/kernels/activation.hpp"
#include "ulpfuzz/kernels/activation_derivative.hpp"
#include "ulpfuzz/kernels/dense.hpp"
#include "ulpfuzz/kernels/norm.hpp"

namespace ulpfuzz::kernels {
namespace {

TEST(Dot, SumsFromLeftToRight) {
  const std::vector<float> ones(3, 1.0f);
  const std::vector<float> up = {1.0f, 0x1p-24f, 0x1p-24f};
  const std::vector<float> down = {0x1p-24f, 0x1p-24f, 1.0f};
  EXPECT_EQ(dot(up.data(), 1, ones.data(), 1, 3), 1.0f);
  EXPECT_EQ(dot(down.data(), 1, ones.data(), 1, 3), 1.0f + 0x1p-23f);
}

TEST(Dot, RoundsEachProduct) {
  const float x = 1.0f + 0x1p-12f;  // x^2 = 1 + 2^-11 + 2^-24 needs one bit more
  const std::vector<float> a = {-(1.0f + 0x1p-11f), x};
  const std::vector<float> b = {1.0f, x};
  EXPECT_EQ(dot(a.data(), 1, b.data(), 1, 2), 0.0f);
  EXPECT_EQ(dot(std::vector<double>(a.begin(), a.end()).data(), 1,
                std::vector<double>(b.begin(), b.end()).data(), 1, 2),
            0x1p-24);
}

TEST(Dot, OfNothingIsPositiveZero) {
  const float value = dot<float>(nullptr, 1, nullptr, 1, 0);
  EXPECT_EQ(value, 0.0f);
  EXPECT_FALSE(std::signbit(value));
}

TEST(Dot, TakesStrides) {
  const std::vector<float> x = {1, 9, 2, 9, 3};
  const std::vector<float> y = {1, 9, 9, 10, 9, 9, 100};
  EXPECT_EQ(dot(x.data(), 2, y.data(), 3, 3), 321.0f);
}

TEST(Linear, AddsTheBiasLast) {
  const std::vector<float> x = {0x1p-24f, 0x1p-24f};
  const std::vector<float> w = {1.0f, 1.0f};
  const float bias = 1.0f;
  EXPECT_EQ(linear_element(x.data(), w.data(), &bias, 2, 0, 0), 1.0f + 0x1p-23f);
  EXPECT_EQ(linear_element<float>(x.data(), w.data(), nullptr, 2, 0, 0), 0x1p-23f);
}

TEST(Matmul, TransposesEitherOperand) {
  // a = [1 2 3; 4 5 6], b = [1 2; 3 4; 5 6]: a b = [22 28; 49 64].
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};
  const std::vector<float> at = {1, 4, 2, 5, 3, 6};
  const std::vector<float> b = {1, 2, 3, 4, 5, 6};
  const std::vector<float> bt = {1, 3, 5, 2, 4, 6};
  const std::vector<float> expected = {22, 28, 49, 64};
  for (std::size_t i = 0; i < 4; ++i)
    for (const bool ta : {false, true})
      for (const bool tb : {false, true})
        EXPECT_EQ(matmul_element((ta ? at : a).data(), (tb ? bt : b).data(), ta, tb, 2, 3, 2, i / 2,
                                 i % 2),
                  expected[i]);
}

// Derivatives against central differences of the values, in fp64.
template <class Phi, class Slope>
void expect_derivative(const char* name, const Phi& phi, const Slope& slope) {
  constexpr double h = 0x1p-18;
  for (double x = -6; x < 6; x += 0.0625 + 0x1p-7) {
    const double difference = (apply(phi, x + h) - apply(phi, x - h)) / (2 * h);
    ASSERT_NEAR(apply(slope, x), difference, 1e-9) << name << " at " << x;
  }
}

TEST(Activations, DerivativesAreDerivatives) {
  expect_derivative("relu", Relu{}, ReluDerivative{});
  expect_derivative("leaky_relu", LeakyRelu{0.25f}, LeakyReluDerivative{0.25f});
  expect_derivative("tanh", Tanh{}, TanhDerivative{});
  expect_derivative("sigmoid", Sigmoid{}, SigmoidDerivative{});
  expect_derivative("silu", Silu{}, SiluDerivative{});
  expect_derivative("gelu_erf", GeluErf{}, GeluErfDerivative{});
  expect_derivative("gelu_tanh", GeluTanh{}, GeluTanhDerivative{});
  expect_derivative("softplus", Softplus{}, SoftplusDerivative{});
  expect_derivative("elu", Elu{0.75f}, EluDerivative{0.75f});
}

TEST(Activations, HaveTheirKnownValues) {
  EXPECT_DOUBLE_EQ(apply(Sigmoid{}, std::log(3.0)), 0.75);
  EXPECT_DOUBLE_EQ(apply(Sigmoid{}, -std::log(3.0)), 0.25);
  EXPECT_DOUBLE_EQ(apply(Silu{}, std::log(3.0)), 0.75 * std::log(3.0));
  EXPECT_DOUBLE_EQ(apply(Softplus{}, 0.0), std::log(2.0));
  EXPECT_DOUBLE_EQ(apply(GeluErf{}, 1.0), 0.84134474606854294859);
  EXPECT_NEAR(apply(GeluTanh{}, 1.0), 0.8411919906082768, 1e-15);
  EXPECT_DOUBLE_EQ(apply(Elu{2.0f}, -std::log(2.0)), -1.0);
  EXPECT_EQ(apply(LeakyRelu{0.5f}, -3.0), -1.5);
}

// Fact F11 of the theory: the two forms of gelu are different functions.
TEST(Activations, TheFormsOfGeluDifferByAtMost473e6) {
  double worst = 0;
  double at = 0;
  for (double x = 0; x < 8; x += 1e-4) {
    const double difference = std::abs(apply(GeluErf{}, x) - apply(GeluTanh{}, x));
    if (difference > worst) at = x;
    worst = std::max(worst, difference);
  }
  EXPECT_NEAR(worst, 4.73e-4, 1e-6);
  EXPECT_NEAR(at, 2.70, 0.02);
}

TEST(Activations, ReluPropagatesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(apply(Relu{}, nan)));
  EXPECT_TRUE(std::isnan(apply(ReluDerivative{}, nan)));
}

TEST(Norms, LayerNormHasMeanZeroAndVarianceOne) {
  const std::vector<double> x = {1, 5, -3, 2.5, 8};
  std::vector<double> y(5);
  layer_norm_row(x.data(), 0.0f, 5, y.data());
  EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 0, 1e-14);
  EXPECT_NEAR(std::inner_product(y.begin(), y.end(), y.begin(), 0.0) / 5, 1, 1e-14);
}

TEST(Norms, RmsNormDividesByTheRootMeanSquare) {
  const std::vector<double> x = {3, 4, 0, 0};
  std::vector<double> y(4);
  EXPECT_DOUBLE_EQ(rms_norm_row(x.data(), 0.0f, 4, y.data()), 0.4);
  EXPECT_EQ(y, (std::vector<double>{3 * 0.4, 4 * 0.4, 0, 0}));
}

TEST(Norms, SoftmaxSumsToOneInProportion) {
  const std::vector<double> x = {0, std::log(2.0), std::log(5.0)};
  std::vector<double> y(3);
  softmax_row(x.data(), 3, y.data());
  EXPECT_NEAR(y[0], 0.125, 1e-15);
  EXPECT_NEAR(y[1], 0.25, 1e-15);
  EXPECT_NEAR(y[2], 0.625, 1e-15);
}

// J v by central differences; `grad` is handed x and v.
template <class F, class Grad>
void expect_jacobian(const F& f, const Grad& grad) {
  constexpr double h = 0x1p-18;
  const std::vector<double> x = {0.5, -1.25, 2, 0.125};
  const std::vector<double> v = {1, 0.5, -0.75, 2};
  std::vector<double> up(4), down(4), plus = x, minus = x, got(4);
  for (std::size_t i = 0; i < 4; ++i) {
    plus[i] += h * v[i];
    minus[i] -= h * v[i];
  }
  f(plus, up);
  f(minus, down);
  grad(v, x, got);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], (up[i] - down[i]) / (2 * h), 1e-9);
}

using Row = std::vector<double>;

TEST(Norms, GradientsAreJacobiansTimesAVector) {
  expect_jacobian([](const Row& x, Row& y) { softmax_row(x.data(), 4, y.data()); },
                  [](const Row& v, const Row& x, Row& y) {
                    Row s(4);
                    softmax_row(x.data(), 4, s.data());
                    softmax_grad_row(v.data(), s.data(), 4, y.data());
                  });
  expect_jacobian([](const Row& x, Row& y) { layer_norm_row(x.data(), 0.125f, 4, y.data()); },
                  [](const Row& v, const Row& x, Row& y) {
                    layer_norm_grad_row(v.data(), x.data(), 0.125f, 4, y.data());
                  });
  expect_jacobian([](const Row& x, Row& y) { rms_norm_row(x.data(), 0.125f, 4, y.data()); },
                  [](const Row& v, const Row& x, Row& y) {
                    rms_norm_grad_row(v.data(), x.data(), 0.125f, 4, y.data());
                  });
}

TEST(Norms, OfEmptyRowsWriteNothing) {
  float guard = 7.0f;
  softmax_row(&guard, 0, &guard);
  layer_norm_row(&guard, 1e-5f, 0, &guard);
  rms_norm_row(&guard, 1e-5f, 0, &guard);
  softmax_grad_row(&guard, &guard, 0, &guard);
  layer_norm_grad_row(&guard, &guard, 1e-5f, 0, &guard);
  rms_norm_grad_row(&guard, &guard, 1e-5f, 0, &guard);
  EXPECT_EQ(guard, 7.0f);
}

}  // namespace
}  // namespace ulpfuzz::kernels
