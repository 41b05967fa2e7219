#pragma once

#include "bounds/emulator.hpp"

namespace ulpfuzz::bounds::testing {

inline float Emulator::function(Op op, float alpha, float x) const {
  const bool other = variant_ % 2 == 1;
  const float e = std::exp(-x);
  const float s = other ? 0.5f * (1 + std::tanh(0.5f * x)) : 1 / (1 + e);
  switch (op) {
    case Op::relu:
      return x > 0 ? x : 0;
    case Op::leaky_relu:
      return x > 0 ? x : alpha * x;
    case Op::tanh:
      return other ? 1 - 2 / (std::exp(2 * x) + 1) : std::tanh(x);
    case Op::sigmoid:
      return s;
    case Op::silu:
      return variant_ == 2 ? x / (1 + e) : x * s;
    case Op::gelu_erf:
      return other ? x * (0.5f * (1 + std::erf(x * 0.70710678f)))
                   : 0.5f * x * (1 + std::erf(x / 1.41421356f));
    case Op::gelu_tanh: {
      const float a = other ? 0.7978846f * x * (1 + 0.044715f * x * x)
                            : 0.7978846f * (x + 0.044715f * x * x * x);
      return 0.5f * x * (1 + std::tanh(a));
    }
    case Op::softplus:
      if (variant_ == 2) return x > 20 ? x : std::log1p(std::exp(x));
      if (variant_ == 3 && x < 80) return std::log(1 + std::exp(x));
      return std::max(x, 0.0f) + std::log1p(std::exp(-std::fabs(x)));
    default:
      return x > 0 ? x : alpha * (other ? std::exp(x) - 1 : std::expm1(x));
  }
}

inline float Emulator::slope(Op op, float alpha, float x) const {
  const bool other = variant_ % 2 == 1;
  const float s = function(Op::sigmoid, 0, x);
  switch (op) {
    case Op::relu:
      return x > 0 ? 1 : 0;
    case Op::leaky_relu:
      return x > 0 ? 1 : alpha;
    case Op::tanh: {
      const float t = function(Op::tanh, 0, x);
      return other ? (1 - t) * (1 + t) : 1 - t * t;
    }
    case Op::sigmoid:
      return s * (1 - s);
    case Op::silu:
      return other ? s + x * s * (1 - s) : s * (1 + x * (1 - s));
    case Op::gelu_erf:
      return 0.5f * (1 + std::erf(x * 0.70710678f)) + x * 0.39894228f * std::exp(-0.5f * x * x);
    case Op::gelu_tanh: {
      const float t = std::tanh(0.7978846f * (x + 0.044715f * x * x * x));
      return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * (0.7978846f * (1 + 3 * 0.044715f * x * x));
    }
    case Op::softplus:
      return variant_ == 2 && x > 20 ? 1 : s;
    default:
      return x > 0 ? 1 : other ? function(Op::elu, alpha, x) + alpha : alpha * std::exp(x);
  }
}

inline void Emulator::softmax(const float* x, std::size_t n, float* y) {
  const float top = *std::max_element(x, x + n);
  const bool shifted = variant_ != 3 || std::fabs(top) > 40;
  Floats e(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float t = shifted ? x[i] - top : x[i];
    e[i] = variant_ == 1 ? std::exp2(t * 1.44269504f) : std::exp(t);
  }
  const float total = sum(e);
  for (std::size_t i = 0; i < n; ++i) y[i] = variant_ == 2 ? e[i] * (1 / total) : e[i] / total;
}

inline void Emulator::norm(const Node& node, const float* x, std::size_t n, float* y) {
  const float count = static_cast<float>(n);
  const bool centred = node.op == Op::layer_norm;
  const float mean = centred ? sum({x, x + n}) / count : 0;
  Floats d(n), square(n);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = x[i] - mean;
    square[i] = variant_ == 1 ? x[i] * x[i] : d[i] * d[i];
  }
  float variance = sum(square) / count;
  if (variant_ == 1 && centred) variance = std::max(variance - mean * mean, 0.0f);
  const float r = 1 / std::sqrt(variance + node.alpha);
  for (std::size_t i = 0; i < n; ++i) y[i] = variant_ == 2 ? x[i] * r + -mean * r : d[i] * r;
}

inline void Emulator::softmax_grad(const float* v, const float* s, std::size_t n, float* y) {
  Floats products(n);
  for (std::size_t i = 0; i < n; ++i) products[i] = s[i] * v[i];
  const float c = sum(products);
  for (std::size_t i = 0; i < n; ++i)
    y[i] = variant_ == 1 ? s[i] * v[i] - s[i] * c : s[i] * (v[i] - c);
}

inline void Emulator::norm_grad(const Node& node, const float* v, const float* x, std::size_t n,
                                float* y) {
  const float count = static_cast<float>(n);
  const bool centred = node.op == Op::layer_norm_grad;
  const float mean = centred ? sum({x, x + n}) / count : 0;
  Floats square(n), hat(n), product(n);
  for (std::size_t i = 0; i < n; ++i) square[i] = (x[i] - mean) * (x[i] - mean);
  const float r = 1 / std::sqrt(sum(square) / count + node.alpha);
  for (std::size_t i = 0; i < n; ++i) hat[i] = (x[i] - mean) * r;
  for (std::size_t i = 0; i < n; ++i) product[i] = v[i] * hat[i];
  const float dot_sum = sum(product);
  const float v_sum = centred ? sum({v, v + n}) : 0;
  for (std::size_t i = 0; i < n; ++i)
    y[i] = variant_ == 1 ? r / count * (count * v[i] - v_sum - hat[i] * dot_sum)
                         : r * (v[i] - v_sum / count - hat[i] * (dot_sum / count));
}

}  // namespace ulpfuzz::bounds::testing
