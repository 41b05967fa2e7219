#include "values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace ulpfuzz::generators {
namespace {

using Limit = std::numeric_limits<float>;

float from_bits(std::uint32_t sign, std::uint32_t exponent, std::uint32_t mantissa) {
  return std::bit_cast<float>((sign << 31) | (exponent << 23) | (mantissa & 0x7fffffu));
}

// The high bits choose, the low bits fill: `word` serves once.
std::uint32_t pick(std::uint32_t word, std::uint32_t n) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * n) >> 32);
}

template <class F>
void each(Tensor& t, Words& words, F f) {
  for (float& x : t.data) x = f(words.next());
}

void log_uniform(Tensor& t, Words& words) {
  constexpr std::array<std::uint32_t, 4> reach{4, 12, 40, 126};
  const std::uint32_t half = reach[pick(words.next(), reach.size())];
  each(t, words, [&](std::uint32_t w) {
    return from_bits(w & 1, 127 - half + pick(w, 2 * half + 1), words.next());
  });
}

void cancelling(Tensor& t, Words& words) {
  fill_normal(t.data, 1, words);
  for (std::size_t r = 0; r < t.rows; ++r) {
    const auto row = t.row(r);
    for (std::size_t i = 0; 2 * i + 1 < row.size(); ++i) {
      const std::uint32_t off = pick(words.next(), 8);
      const float near = std::bit_cast<float>(std::bit_cast<std::uint32_t>(row[i]) ^ (off & 3));
      row[row.size() - 1 - i] = off < 4 ? -row[i] : -near;
    }
  }
}

void one_huge(Tensor& t, Words& words) {
  fill_normal(t.data, 1, words);
  for (std::size_t r = 0; r < t.rows && t.cols > 0; ++r) {
    t.row(r)[pick(words.next(), t.cols)] *= 0x1p33f;
  }
}

void large_mean(Tensor& t, Words& words) {
  fill_normal(t.data, 0x1p-3f, words);
  const auto mean = static_cast<float>(std::uint32_t{16} << pick(words.next(), 12));
  for (float& x : t.data) x += mean;
}

void constant_rows(Tensor& t, Words& words) {
  for (std::size_t r = 0; r < t.rows; ++r) {
    float value = 0;
    fill_normal({&value, 1}, 1, words);
    std::ranges::fill(t.row(r), value);
  }
}

void equal_rows(Tensor& t, Words& words) {
  if (t.rows == 0) return;
  fill_normal(t.row(0), 1, words);
  for (std::size_t r = 1; r < t.rows; ++r) std::ranges::copy(t.row(0), t.row(r).begin());
}

void nan_rows(Tensor& t, Words& words) {
  fill_normal(t.data, 1, words);
  for (std::size_t r = 0; r < t.rows && t.cols > 0; ++r) {
    const std::uint32_t choice = pick(words.next(), 8);
    if (r == 0 || choice == 0) t.row(r)[pick(words.next(), t.cols)] = Limit::quiet_NaN();
    if (choice == 1) std::ranges::fill(t.row(r), Limit::quiet_NaN());
  }
}

float kink(std::uint32_t w) {
  constexpr std::array values{0.0f,     -0.0f,     0x1p-24f, -0x1p-24f, Limit::denorm_min(),
                              -0x1p-3f, 0x1p-149f, 0x1p-3f,  1e-6f,     -Limit::min()};
  return values[pick(w, values.size())];
}

float witness(std::uint32_t w) {
  constexpr std::array values{1 + 0x1p-10f, 1 + 0x1p-12f, 1 + 0x1p-7f, 1 + 0x1p-8f,
                              1 + 0x1p-11f, 1 + 0x1p-9f,  2049.0f,     4097.0f,
                              2051.0f,      65537.0f,     1.0f,        0.0f};
  const float x = values[pick(w, values.size())];
  return (w & 1) != 0 ? -x : x;
}

float subnormal(std::uint32_t w) {
  return from_bits(w & 1, pick(w, 16) == 0 ? 1 + (w >> 30) : 0, w >> 1);
}

float power_of_two(std::uint32_t w) { return from_bits(w & 1, 123 + pick(w, 9), 0); }

}  // namespace

void fill(Tensor& t, Values values, Words& words) {
  switch (values) {
    case Values::normal:
      return fill_normal(t.data, 1, words);
    case Values::uniform:
      return fill_uniform(t.data, 1, words);
    case Values::positive:
      return each(t, words,
                  [](std::uint32_t w) { return static_cast<float>((w >> 9) * 2 + 1) * 0x1p-24f; });
    case Values::log_uniform:
      return log_uniform(t, words);
    case Values::small_integers:
      return each(t, words, [](std::uint32_t w) {
        return static_cast<float>(static_cast<std::int32_t>(pick(w, 17)) - 8);
      });
    case Values::powers_of_two:
      return each(t, words, power_of_two);
    case Values::cancelling:
      return cancelling(t, words);
    case Values::one_huge:
      return one_huge(t, words);
    case Values::large_mean:
      return large_mean(t, words);
    case Values::kinks:
      return each(t, words, kink);
    case Values::constant_rows:
      return constant_rows(t, words);
    case Values::equal_rows:
      return equal_rows(t, words);
    case Values::subnormals:
      return each(t, words, subnormal);
    case Values::signed_zeros:
      return each(t, words, [](std::uint32_t w) {
        return pick(w, 8) == 0 ? 1.0f : ((w & 1) != 0 ? -0.0f : 0.0f);
      });
    case Values::infinities:
      fill_normal(t.data, 1, words);
      for (float& x : t.data) {
        const std::uint32_t w = words.next();
        if (pick(w, 16) == 0) x = (w & 1) != 0 ? -Limit::infinity() : Limit::infinity();
      }
      return;
    case Values::nan_rows:
      return nan_rows(t, words);
    case Values::witnesses:
      return each(t, words, witness);
    case Values::ones:
      std::ranges::fill(t.data, 1.0f);
      return;
  }
}

}  // namespace ulpfuzz::generators
