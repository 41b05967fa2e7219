#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds::testing {

enum class Data { normal, positive, integers, offset, cancelling, one_huge, tiny };
inline constexpr int data_kinds = 7;

/// Networks of every primal op, small enough to evaluate many times, with all kinds of numbers.
struct RandomNetwork {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<float> input;
  std::size_t batch = 1;
  bool low_bits = true;  ///< the numbers suit the probabilistic tier
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::uint64_t seed) : random_(seed) {}

  RandomNetwork build() {
    result_ = {};
    kind_ = static_cast<Data>(pick(data_kinds));
    result_.low_bits = kind_ == Data::normal || kind_ == Data::positive;
    result_.batch = 1 + pick(3);
    const Shape shape{static_cast<std::uint32_t>(1 + pick(3)),
                      static_cast<std::uint32_t>(1 + pick(9))};
    NodeId x = result_.network.input(shape);
    result_.input = numbers(result_.batch * shape.size());
    const std::size_t steps = 1 + pick(4);
    x = layer(x);
    for (std::size_t s = 0; s < steps; ++s) x = step(x);
    result_.network.output(x);
    return result_;
  }

  std::size_t pick(std::size_t n) { return random_() % n; }

 private:
  float number() {
    std::normal_distribution<float> normal;
    const float z = normal(random_);
    switch (kind_) {
      case Data::positive:
        return std::fabs(z) + 0.1f;
      case Data::integers:
        return std::round(3 * z);
      case Data::offset:
        return 30 + z;
      case Data::cancelling:
        return (pick(2) ? 1.0f : -1.0f) * (1 + 0x1p-20f * z);
      case Data::one_huge:
        return pick(5) == 0 ? 1e4f * z : 1e-4f * z;
      case Data::tiny:
        return std::ldexp(z, -60 - static_cast<int>(pick(80)));
      default:
        return z;
    }
  }
  std::vector<float> numbers(std::size_t n) {
    std::vector<float> v(n);
    for (float& f : v) f = number();
    return v;
  }

  Shape shape_of(NodeId id) const { return result_.network.node(id).shape; }

  NodeId parameter(std::uint32_t rows, std::uint32_t cols) {
    Tensor t(rows, cols, numbers(std::size_t{rows} * cols));
    if (kind_ == Data::normal || kind_ == Data::positive)
      for (float& f : t.data) f /= std::sqrt(static_cast<float>(cols));
    result_.parameters.push_back(std::move(t));
    return result_.network.parameter(rows, cols);
  }

  NodeId layer(NodeId x) {
    const auto n = static_cast<std::uint32_t>(1 + pick(9));
    const NodeId w = parameter(n, shape_of(x).cols);
    if (pick(3) == 0) return result_.network.linear(x, w);
    return result_.network.linear(x, w, parameter(1, n));
  }

  NodeId activation(NodeId x) {
    const auto op = static_cast<Op>(static_cast<int>(Op::relu) + pick(9));
    return result_.network.activation(op, x, op == Op::elu ? 1.5f : 0.25f);
  }

  NodeId gate(NodeId x) {
    Network& n = result_.network;
    const Shape s = shape_of(x);
    switch (pick(5)) {
      case 0:
        return n.add(x, parameter(1, s.cols));
      case 1:
        return n.mul(x, parameter(s.rows, s.cols));
      case 2:
        return n.mul(x, activation(x));
      case 3:
        return n.add(x, n.linear(x, parameter(s.cols, s.cols)));
      default:
        return n.add(x, x);
    }
  }

  NodeId product(NodeId x) {
    Network& n = result_.network;
    const Shape s = shape_of(x);
    switch (pick(3)) {
      case 0:
        return n.matmul(x, x, true, false);
      case 1:
        return n.matmul(n.softmax(n.matmul(x, x, false, true)), x);
      default:
        return n.matmul(parameter(static_cast<std::uint32_t>(1 + pick(3)), s.rows), x);
    }
  }

  NodeId step(NodeId x) {
    Network& n = result_.network;
    const Shape s = shape_of(x);
    switch (pick(9)) {
      case 0:
        return n.softmax(x);
      case 1:
        return n.layer_norm(x);
      case 2:
        return n.rms_norm(x, 1e-3f);
      case 3:
        return n.concat(x, activation(x));
      case 4:
        return n.reshape(x, {s.cols, s.rows});
      case 5:
        return gate(x);
      case 6:
        return product(x);
      case 7:
        return layer(activation(x));
      default:
        return activation(x);
    }
  }

  std::mt19937_64 random_;
  Data kind_ = Data::normal;
  RandomNetwork result_;
};

}  // namespace ulpfuzz::bounds::testing
