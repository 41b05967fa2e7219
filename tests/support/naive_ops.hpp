#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "ulpfuzz/network/network.hpp"

/// An independent reference: networks in fp64, one entry and one element at a time, straight from
/// the definitions in op.hpp. Shares no code with the subjects or the bounds.
namespace ulpfuzz::naive {

using Values = std::vector<double>;

inline double activation(Op op, double alpha, double x) {
  switch (op) {
    case Op::relu:
      return x > 0 ? x : (x <= 0 ? 0 : x);
    case Op::leaky_relu:
      return x > 0 ? x : alpha * x;
    case Op::tanh:
      return std::tanh(x);
    case Op::sigmoid:
      return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    case Op::silu:
      return x * activation(Op::sigmoid, 0, x);
    case Op::gelu_erf:
      return x * std::erfc(-x / std::numbers::sqrt2) / 2;
    case Op::gelu_tanh:
      // (1 + tanh u) / 2 = sigmoid(2 u), which does not cancel for negative u.
      return x * activation(Op::sigmoid, 0,
                            2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x));
    case Op::softplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
    case Op::elu:
      return x > 0 ? x : alpha * std::expm1(x);
    default:
      throw std::invalid_argument("naive: no activation");
  }
}

inline double derivative(Op op, double alpha, double x) {
  switch (op) {
    case Op::relu:
      return x > 0 ? 1 : 0;
    case Op::leaky_relu:
      return x > 0 ? 1 : alpha;
    case Op::tanh:
      return 1 / (std::cosh(x) * std::cosh(x));
    case Op::sigmoid:
      return activation(Op::sigmoid, 0, x) * activation(Op::sigmoid, 0, -x);
    case Op::silu: {
      const double s = activation(Op::sigmoid, 0, x);
      return s + x * s * activation(Op::sigmoid, 0, -x);
    }
    case Op::gelu_erf:
      return std::erfc(-x / std::numbers::sqrt2) / 2 +
             x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    case Op::gelu_tanh: {
      const double c = std::sqrt(2 / std::numbers::pi);
      const double u = 2 * c * (x + 0.044715 * x * x * x);
      const double s = activation(Op::sigmoid, 0, u);
      return s + x * s * activation(Op::sigmoid, 0, -u) * 2 * c * (1 + 3 * 0.044715 * x * x);
    }
    case Op::softplus:
      return activation(Op::sigmoid, 0, x);
    case Op::elu:
      return x > 0 ? 1 : alpha * std::exp(x);
    default:
      throw std::invalid_argument("naive: no activation");
  }
}

/// One feature matrix of a value.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  Values data;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c, 0.0) {}
  double& at(std::size_t r, std::size_t c) { return data[r * cols + c]; }
  double at(std::size_t r, std::size_t c) const { return data[r * cols + c]; }
  /// A single row stands for each row.
  double spread(std::size_t r, std::size_t c) const { return at(rows == 1 ? 0 : r, c); }
};

inline double mean_square(const Matrix& x, std::size_t r, double centre) {
  double sum = 0;
  for (std::size_t c = 0; c < x.cols; ++c) sum += (x.at(r, c) - centre) * (x.at(r, c) - centre);
  return sum / static_cast<double>(x.cols);
}

inline double mean(const Matrix& x, std::size_t r) {
  double sum = 0;
  for (std::size_t c = 0; c < x.cols; ++c) sum += x.at(r, c);
  return sum / static_cast<double>(x.cols);
}

/// x_hat of layer_norm (centred) or rms_norm, and 1 / sqrt(.) of each row.
inline Matrix normalized(const Matrix& x, bool centred, double epsilon, Values& scale) {
  Matrix y(x.rows, x.cols);
  scale.assign(x.rows, 0.0);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const double centre = centred ? mean(x, r) : 0;
    scale[r] = 1 / std::sqrt(mean_square(x, r, centre) + epsilon);
    for (std::size_t c = 0; c < x.cols; ++c) y.at(r, c) = (x.at(r, c) - centre) * scale[r];
  }
  return y;
}

/// scale (v - [mean v] - x_hat mean(v x_hat)): the symmetric Jacobian of both norms.
inline Matrix norm_grad(const Matrix& v, const Matrix& x, bool centred, double epsilon) {
  Values scale;
  const Matrix hat = normalized(x, centred, epsilon, scale);
  Matrix y(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    double along = 0;
    for (std::size_t c = 0; c < x.cols; ++c) along += v.at(r, c) * hat.at(r, c);
    along /= static_cast<double>(x.cols);
    const double centre = centred ? mean(v, r) : 0;
    for (std::size_t c = 0; c < x.cols; ++c)
      y.at(r, c) = scale[r] * (v.at(r, c) - centre - hat.at(r, c) * along);
  }
  return y;
}

inline Matrix softmax(const Matrix& x) {
  Matrix y(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < x.cols; ++c) top = std::max(top, x.at(r, c));
    double sum = 0;
    for (std::size_t c = 0; c < x.cols; ++c) sum += y.at(r, c) = std::exp(x.at(r, c) - top);
    for (std::size_t c = 0; c < x.cols; ++c) y.at(r, c) /= sum;
  }
  return y;
}

inline Matrix softmax_grad(const Matrix& v, const Matrix& s) {
  Matrix y(s.rows, s.cols);
  for (std::size_t r = 0; r < s.rows; ++r) {
    double dot = 0;
    for (std::size_t c = 0; c < s.cols; ++c) dot += s.at(r, c) * v.at(r, c);
    for (std::size_t c = 0; c < s.cols; ++c) y.at(r, c) = s.at(r, c) * (v.at(r, c) - dot);
  }
  return y;
}

inline Matrix matmul(const Matrix& a, bool ta, const Matrix& b, bool tb) {
  const std::size_t inner = ta ? a.rows : a.cols;
  Matrix y(ta ? a.cols : a.rows, tb ? b.rows : b.cols);
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t j = 0; j < y.cols; ++j)
      for (std::size_t p = 0; p < inner; ++p)
        y.at(i, j) += (ta ? a.at(p, i) : a.at(i, p)) * (tb ? b.at(j, p) : b.at(p, j));
  return y;
}

/// One entry of a node that has a leading axis, or a sum of shared values. `t` is the index of the
/// entry among the repeats of its batch row.
inline Matrix entry(const Network& network, const Node& node, const std::vector<Matrix>& args,
                    std::size_t t) {
  Matrix y(node.shape.rows, node.shape.cols);
  Values unused;
  const auto fill = [&](auto element) {
    for (std::size_t r = 0; r < y.rows; ++r)
      for (std::size_t c = 0; c < y.cols; ++c) y.at(r, c) = element(r, c);
  };
  const double alpha = node.alpha;
  switch (node.op) {
    case Op::linear:
      y = matmul(args[0], false, args[1], true);
      if (args.size() == 3) fill([&](auto r, auto c) { return y.at(r, c) + args[2].at(0, c); });
      return y;
    case Op::matmul:
      return matmul(args[0], node.transpose_a, args[1], node.transpose_b);
    case Op::add:
      fill([&](auto r, auto c) { return args[0].spread(r, c) + args[1].spread(r, c); });
      return y;
    case Op::mul:
      fill([&](auto r, auto c) { return args[0].spread(r, c) * args[1].spread(r, c); });
      return y;
    case Op::softmax:
      return softmax(args[0]);
    case Op::layer_norm:
      return normalized(args[0], true, alpha, unused);
    case Op::rms_norm:
      return normalized(args[0], false, alpha, unused);
    case Op::concat:
      fill([&](auto r, auto c) {
        return c < args[0].cols ? args[0].at(r, c) : args[1].at(r, c - args[0].cols);
      });
      return y;
    case Op::reshape:
      y.data = args[0].data;
      return y;
    case Op::derivative:
      fill([&](auto r, auto c) { return derivative(node.of, alpha, args[0].at(r, c)); });
      return y;
    case Op::softmax_grad:
      return softmax_grad(args[0], args[1]);
    case Op::layer_norm_grad:
      return norm_grad(args[0], args[1], true, alpha);
    case Op::rms_norm_grad:
      return norm_grad(args[0], args[1], false, alpha);
    case Op::slice:
      fill([&](auto r, auto c) { return args[0].at(r, c + node.index); });
      return y;
    case Op::pad:
      for (std::size_t r = 0; r < args[0].rows; ++r)
        for (std::size_t c = 0; c < args[0].cols; ++c) y.at(r, c + node.index) = args[0].at(r, c);
      return y;
    case Op::sum_rows:
      for (std::size_t r = 0; r < args[0].rows; ++r)
        for (std::size_t c = 0; c < y.cols; ++c) y.at(0, c) += args[0].at(r, c);
      return y;
    case Op::basis: {
      const bool whole = network.repeat() == node.shape.size();
      fill([&](auto r, auto c) { return (whole ? r * y.cols + c : c) == t ? 1.0 : 0.0; });
      return y;
    }
    case Op::unit_tangents:
      for (std::size_t r = 0; r < y.rows; ++r)
        y.at(r, t / args[0].cols) = args[0].at(r, t % args[0].cols);
      return y;
    default:
      fill([&](auto r, auto c) { return activation(node.op, alpha, args[0].at(r, c)); });
      return y;
  }
}

}  // namespace ulpfuzz::naive
