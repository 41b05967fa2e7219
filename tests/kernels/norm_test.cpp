#include "ulpfuzz/kernels/norm.hpp"

#include <algorithm>

#include "row_runs.hpp"

namespace ulpfuzz::kernels {
namespace {

using Kind = Norm::Kind;
using Passes = Norm::Passes;

struct Row {
  float mean, scale;
  Floats y;
};

template <class F>
Floats each(const Floats& x, const F& f) {
  Floats y;
  for (const float value : x) y.push_back(f(value));
  return y;
}
float mean_of(const Floats& terms) { return row_sum(terms) / static_cast<float>(terms.size()); }
float square(float x) { return x * x; }

Row layer_norm(const Floats& x, Passes passes, float epsilon) {
  const float mean = mean_of(x);
  float variance = mean_of(each(x, [&](float v) { return square(v - mean); }));
  if (passes == Passes::one) {
    variance = mean_of(each(x, square)) - mean * mean;
    if (variance < 0) variance = 0;
  }
  const float scale = 1 / std::sqrt(variance + epsilon);
  return {mean, scale, each(x, [&](float v) { return (v - mean) * scale; })};
}

Row rms_norm(const Floats& x, float epsilon) {
  const float scale = 1 / std::sqrt(mean_of(each(x, square)) + epsilon);
  return {0, scale, each(x, [&](float v) { return v * scale; })};
}

Norm norm_launch(const Floats& x, std::size_t rows, std::size_t n, Kind kind, Passes passes,
                 float epsilon) {
  return {.kind = kind,
          .passes = passes,
          .x = x.data(),
          .epsilon = epsilon,
          .rows = rows,
          .n = n,
          .y = nullptr};
}

TEST(Norm, AddsInTheStatedOrder) {
  std::mt19937 random(1);
  for_row_shapes([&](std::size_t rows, std::size_t n, Values values) {
    const Floats x = draw(values, rows * n, random);
    for (const float epsilon : {0.0f, 1e-5f})
      for (const Kind kind : {Kind::layer, Kind::rms})
        for (const Passes passes : {Passes::one, Passes::two}) {
          const auto expected = by_rows(x, rows, n, [&](const Floats& row, std::size_t) {
            return (kind == Kind::rms ? rms_norm(row, epsilon) : layer_norm(row, passes, epsilon))
                .y;
          });
          ASSERT_NO_FATAL_FAILURE(expect_result(norm_launch(x, rows, n, kind, passes, epsilon),
                                                expected, std::to_string(n)));
        }
  });
}

TEST(NormGradient, AddsInTheStatedOrder) {
  std::mt19937 random(2);
  constexpr float epsilon = 1e-5f;
  for_row_shapes([&](std::size_t rows, std::size_t n, Values values) {
    const Floats x = draw(values, rows * n, random), v = draw(values, rows * n, random);
    for (const bool layer : {false, true}) {
      const auto gradient = [&](const Floats& own_x, std::size_t r) {
        const Row z = layer ? layer_norm(own_x, Passes::two, epsilon) : rms_norm(own_x, epsilon);
        const Floats own_v(v.begin() + static_cast<std::ptrdiff_t>(r * n),
                           v.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
        Floats products, y;
        for (std::size_t i = 0; i < n; ++i) products.push_back(own_v[i] * z.y[i]);
        const float along = mean_of(products), mean = mean_of(own_v);
        for (std::size_t i = 0; i < n; ++i) {
          const float centred = layer ? own_v[i] - mean : own_v[i];
          y.push_back(z.scale * (centred - z.y[i] * along));
        }
        return y;
      };
      const RowGradient launch{
          .of = layer ? RowGradient::Of::layer_norm : RowGradient::Of::rms_norm,
          .v = v.data(),
          .x = x.data(),
          .epsilon = epsilon,
          .rows = rows,
          .n = n,
          .y = nullptr};
      ASSERT_NO_FATAL_FAILURE(
          expect_result(launch, by_rows(x, rows, n, gradient), std::to_string(n)));
    }
  });
}

// The greatest error of layer norm on 200 numbers of this mean and deviation.
double worst_error(Passes passes, float mean, float deviation) {
  std::mt19937 random(3);
  constexpr std::size_t n = 200;
  Floats x(n);
  for (float& v : x) v = mean + deviation * draw(Values::moderate, random);
  const Floats y = on_host(norm_launch(x, 1, n, Kind::layer, passes, 1e-12f), Floats(n));
  const std::vector<double> wide(x.begin(), x.end());
  std::vector<double> right(n);
  layer_norm_row(wide.data(), 1e-12f, n, right.data());
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(y[i] - right[i]));
  return worst;
}

TEST(LayerNorm, IsAsGoodInOnePassAsInTwoOfNumbersAroundZero) {
  EXPECT_LT(worst_error(Passes::two, 0, 1), 8 * 0x1p-24);
  EXPECT_LT(worst_error(Passes::one, 0, 1), 8 * 0x1p-24);
}

TEST(LayerNorm, LosesTheVarianceInOnePassWhereTheMeanIsLarge) {
  // mean^2 = 1e8 has an ulp of 8, the variance is 1e-4.
  EXPECT_LT(worst_error(Passes::two, 1e4f, 1e-2f), 0.2);
  EXPECT_GT(worst_error(Passes::one, 1e4f, 1e-2f), 0.9);
}

TEST(LayerNorm, TakesTheVarianceOfOnePassAsZeroWhereRoundingMadeItNegative) {
  std::mt19937 random(4);
  int negative = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t n = 3 + random() % 40;
    const Floats x(n, 1e4f * draw(Values::moderate, random));
    const float mean = mean_of(x);
    if (mean_of(each(x, square)) - mean * mean >= 0) continue;
    ++negative;
    const Floats y = on_host(norm_launch(x, 1, n, Kind::layer, Passes::one, 1e-4f), Floats(n));
    for (const float value : y) ASSERT_EQ(value, (x[0] - mean) * (1 / std::sqrt(1e-4f)));
  }
  EXPECT_GT(negative, 20);
}

}  // namespace
}  // namespace ulpfuzz::kernels
