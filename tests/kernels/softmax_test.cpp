#include <algorithm>

#include "row_runs.hpp"
#include "ulpfuzz/kernels/norm.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr float float_inf = std::numeric_limits<float>::infinity();
using Formula = Softmax::Formula;

float greater(float a, float b) { return b > a ? b : a; }

template <class Exp>
Floats shifted(const Floats& x, const Exp& e) {
  const float top = in_row_order(x, -float_inf, greater);
  Floats y;
  for (const float value : x) y.push_back(e(value - top));
  const float total = row_sum(y);
  for (float& value : y) value = value / total;
  return y;
}

// As Milakov & Gimelshein state it, for a thread's terms one by one and where threads meet.
template <class Exp>
Floats online(const Floats& x, const Exp& e) {
  struct Pair {
    float m = -float_inf, s = 0;
  };
  const auto factor = [&](float from, float to) { return from == to ? 1.0f : e(from - to); };
  const auto merge = [&](Pair a, Pair b) {
    const float m = std::max(a.m, b.m);
    return Pair{m, a.s * factor(a.m, m) + b.s * factor(b.m, m)};
  };
  std::array<Pair, 128> threads;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == -float_inf) continue;
    Pair& own = threads[i % 128];
    const float m = greater(own.m, x[i]);
    own = {m, own.s * factor(own.m, m) + e(x[i] - m)};
  }
  for (const std::size_t mask : {16, 8, 4, 2, 1, 64, 32}) {
    const auto before = threads;
    for (std::size_t t = 0; t < 128; ++t) threads[t] = merge(before[t], before[t ^ mask]);
  }
  Floats y;
  for (const float value : x) y.push_back(e(value - threads[0].m) / threads[0].s);
  return y;
}

Softmax launch_of(const Floats& x, std::size_t rows, std::size_t n, Formula formula,
                  bool fast = false) {
  return {.formula = formula, .x = x.data(), .rows = rows, .n = n, .y = nullptr, .fast = fast};
}

TEST(Softmax, AddsInTheStatedOrder) {
  std::mt19937 random(1);
  for_row_shapes([&](std::size_t rows, std::size_t n, Values values) {
    const Floats x = draw(values, rows * n, random);
    for (const bool fast : {false, true}) {
      const auto e = [&](float v) { return fast ? fast_exp(v) : std::exp(v); };
      const std::string what = std::to_string(rows) + " rows of " + std::to_string(n);
      const auto expected = [&](const auto& formula) {
        return by_rows(x, rows, n, [&](const Floats& row, std::size_t) { return formula(row, e); });
      };
      ASSERT_NO_FATAL_FAILURE(
          expect_result(launch_of(x, rows, n, Formula::shifted, fast),
                        expected([](const auto&... a) { return shifted(a...); }), what));
      ASSERT_NO_FATAL_FAILURE(expect_result(launch_of(x, rows, n, Formula::online, fast),
                                            expected([](const auto&... a) { return online(a...); }),
                                            what));
    }
  });
}

class SoftmaxFormula : public testing::TestWithParam<Formula> {};
INSTANTIATE_TEST_SUITE_P(All, SoftmaxFormula, testing::Values(Formula::shifted, Formula::online));

TEST_P(SoftmaxFormula, IsNaNAllAlongARowWithANaNOrPlusInfinityOrNothingFinite) {
  for (const std::size_t n : {1, 3, 32, 40, 300}) {
    std::vector<Floats> rows;
    for (const float special : {float_inf, std::numeric_limits<float>::quiet_NaN()})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        rows.push_back(Floats(n, 0.5f));
        rows.back()[at] = special;
        rows.push_back(Floats(n, -float_inf));
        rows.back()[at] = special;
      }
    rows.push_back(Floats(n, -float_inf));
    for (const Floats& x : rows)
      for (const float y : on_host(launch_of(x, 1, n, GetParam()), Floats(n)))
        EXPECT_TRUE(std::isnan(y)) << n;
  }
}

TEST_P(SoftmaxFormula, GivesMinusInfinityNoWeightBesideFiniteNumbers) {
  for (const std::size_t n : {2, 8, 31, 32, 200, 300})
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      Floats x(n, -float_inf);
      x[at] = -3e38f;
      const Floats y = on_host(launch_of(x, 1, n, GetParam()), Floats(n));
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(bits_of(y[i]), bits_of(i == at ? 1.0f : 0.0f));
    }
}

TEST_P(SoftmaxFormula, IsAccurateWhicheverWayTheRowIsSorted) {
  std::mt19937 random(2);
  for (const std::size_t n : {5, 32, 100, 1000})
    for (const int sorted : {0, 1, 2}) {
      Floats x(n);
      for (float& v : x) v = 4 * draw(Values::moderate, random);
      if (sorted != 0) std::sort(x.begin(), x.end());
      if (sorted == 2) std::reverse(x.begin(), x.end());
      std::vector<double> wide(x.begin(), x.end()), right(n);
      softmax_row(wide.data(), n, right.data());
      const Floats y = on_host(launch_of(x, 1, n, GetParam()), Floats(n));
      // Rounding x - max moves e^(x - max) by up to 32 * 2^-24 of itself.
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(y[i] / right[i], 1.0, 64 * 0x1p-24) << n;
    }
}

TEST(SoftmaxGradient, AddsInTheStatedOrder) {
  std::mt19937 random(3);
  for_row_shapes([&](std::size_t rows, std::size_t n, Values values) {
    const Floats v = draw(values, rows * n, random), s = draw(values, rows * n, random);
    const auto gradient = [&](const Floats& own, std::size_t r) {
      Floats y, products;
      for (std::size_t i = 0; i < n; ++i) products.push_back(own[i] * s[r * n + i]);
      const float projection = row_sum(products);
      for (std::size_t i = 0; i < n; ++i) y.push_back(s[r * n + i] * (own[i] - projection));
      return y;
    };
    const RowGradient launch{.of = RowGradient::Of::softmax,
                             .v = v.data(),
                             .x = s.data(),
                             .epsilon = 0,
                             .rows = rows,
                             .n = n,
                             .y = nullptr};
    expect_result(launch, by_rows(v, rows, n, gradient), std::to_string(n));
  });
}

}  // namespace
}  // namespace ulpfuzz::kernels
