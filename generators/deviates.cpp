#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "ulpfuzz/core/clones.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr int table_bits = 11;
constexpr std::size_t segments = std::size_t{1} << table_bits;
constexpr std::uint32_t fraction_bits = 32 - table_bits;

struct Quantiles {
  // Value at the left end of a segment and the rise over it, so that a deviate is one fused lookup.
  std::array<float, segments> left, rise;
};

// Rounded to a grid far coarser than a libm's error: the same table on every machine.
float on_grid(double x) { return static_cast<float>(std::nearbyint(x * 0x1p18) * 0x1p-18); }

Quantiles make_quantiles() {
  const boost::math::normal standard;
  std::array<float, segments + 1> q{};
  for (std::size_t i = 1; i <= segments / 2; ++i) {
    q[i] = on_grid(quantile(standard, static_cast<double>(i) / segments));
    q[segments - i] = -q[i];
  }
  // The outermost segments end where their mean is the tail's: pdf(q) / P(X < q).
  const double tail = pdf(standard, quantile(standard, 1.0 / segments)) * segments;
  q[0] = on_grid(-2 * tail) - q[1];
  q[segments] = -q[0];
  Quantiles table{};
  for (std::size_t i = 0; i < segments; ++i) {
    table.left[i] = q[i];
    table.rise[i] = q[i + 1] - q[i];
  }
  return table;
}

ULPFUZZ_CLONES void normals(const std::uint32_t* words, std::size_t n, float scale,
                            const Quantiles& table, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t segment = words[i] >> fraction_bits;
    const auto fraction = static_cast<float>(
        static_cast<std::int32_t>(words[i] & ((std::uint32_t{1} << fraction_bits) - 1)));
    const float unit = fraction * (1.0f / (std::uint32_t{1} << fraction_bits));
    out[i] = (table.left[segment] + table.rise[segment] * unit) * scale;
  }
}

ULPFUZZ_CLONES void uniforms(const std::uint32_t* words, std::size_t n, float scale, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<float>(static_cast<std::int32_t>(words[i]) >> 8) * scale;
  }
}

template <class Convert>
void in_bulk(std::span<float> out, Words& words, Convert convert) {
  while (!out.empty()) {
    const auto taken = words.take(out.size());
    convert(taken.data(), taken.size(), out.data());
    out = out.subspan(taken.size());
  }
}

}  // namespace

void fill_normal(std::span<float> out, float scale, Words& words) {
  static const Quantiles table = make_quantiles();
  in_bulk(out, words, [scale](const std::uint32_t* w, std::size_t n, float* to) {
    normals(w, n, scale, table, to);
  });
}

void fill_uniform(std::span<float> out, float bound, Words& words) {
  in_bulk(out, words, [bound](const std::uint32_t* w, std::size_t n, float* to) {
    uniforms(w, n, bound * 0x1p-23f, to);
  });
}

}  // namespace ulpfuzz::generators
