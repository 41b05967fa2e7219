#include "tightness/orders.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::bench {
namespace {

ULPFUZZ_CLONES float sequential(const float* w, const float* x, std::size_t n) {
  float s = n > 0 ? w[0] * x[0] : 0;
  for (std::size_t i = 1; i < n; ++i) s += w[i] * x[i];
  return s;
}

ULPFUZZ_CLONES float sequential_fused(const float* w, const float* x, std::size_t n) {
  float s = 0;
  for (std::size_t i = 0; i < n; ++i) s = std::fma(w[i], x[i], s);
  return s;
}

/// Adds neighbours, then neighbouring sums, and so on; an odd one out goes up alone.
float add_in_pairs(float* t, std::size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    for (std::size_t i = 0; i + 1 < n; i += 2) t[i / 2] = t[i] + t[i + 1];
    if (n % 2 == 1) t[n / 2] = t[n - 1];
  }
  return n == 1 ? t[0] : 0;
}

ULPFUZZ_CLONES void multiply(const float* w, const float* x, std::size_t n, float* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = w[i] * x[i];
}

ULPFUZZ_CLONES float lanes_32_fused(const float* w, const float* x, std::size_t n) {
  constexpr std::size_t lanes = 32;
  float s[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) s[l] = std::fma(w[i + l], x[i + l], s[l]);
  for (std::size_t l = 0; i < n; ++i, ++l) s[l] = std::fma(w[i], x[i], s[l]);
  return add_in_pairs(s, lanes);
}

float split_4(const float* w, const float* x, std::size_t n) {
  float total = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    const std::size_t begin = n * part / 4, end = n * (part + 1) / 4;
    total += sequential(w + begin, x + begin, end - begin);
  }
  return total;
}

float adversarial(float* t, std::size_t n) {
  float* const negative = std::partition(t, t + n, [](float v) { return v > 0; });
  std::sort(t, negative, std::greater<>());
  std::sort(negative, t + n);
  float s = n > 0 ? t[0] : 0;
  for (std::size_t i = 1; i < n; ++i) s += t[i];
  return s;
}

}  // namespace

float dot(Order order, const float* w, const float* x, std::size_t n, std::vector<float>& scratch) {
  if (order == Order::pairwise || order == Order::adversarial) {
    if (scratch.size() < n) scratch.resize(n);
    multiply(w, x, n, scratch.data());
    return order == Order::pairwise ? add_in_pairs(scratch.data(), n)
                                    : adversarial(scratch.data(), n);
  }
  switch (order) {
    case Order::sequential_fused:
      return sequential_fused(w, x, n);
    case Order::lanes_32_fused:
      return lanes_32_fused(w, x, n);
    case Order::split_4:
      return split_4(w, x, n);
    default:
      return sequential(w, x, n);
  }
}

}  // namespace ulpfuzz::bench
