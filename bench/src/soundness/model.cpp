#include <algorithm>
#include <cmath>

#include "soundness/machine.hpp"
#include "soundness/trial.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr std::uint32_t widest = 1024;
constexpr double most_products = 3e6;  // of the linear layers of one row

class Builder {
 public:
  Builder(std::size_t width_class, std::size_t depth, Data data, Random& random)
      : data_(data), random_(random) {
    const auto [low, high] = width_limits[width_class];
    low_ = low;
    high_ = std::max(low, std::min(high, static_cast<std::uint32_t>(std::sqrt(
                                             most_products / static_cast<double>(depth)))));
    small_ = high_ <= 64;
    rows_ = static_cast<std::uint32_t>(small_ ? 1 + pick(random_, 3) * pick(random_, 2) : 1);
    m_.batch = small_ ? 1 + pick(random_, 3) : 1;
  }

  Model build(std::size_t depth, Op last) {
    NodeId x = input({rows_, width()});
    for (std::size_t l = 0; l < depth; ++l) {
      x = linear(x);
      if (l + 1 < depth) x = pick(random_, 3) == 0 ? step(x) : activation(x, any_activation());
    }
    if (pick(random_, 3) == 0) x = step(x);
    m_.network.output(last_step(x, last));
    return std::move(m_);
  }

 private:
  Network& net() { return m_.network; }
  Shape shape(NodeId id) const { return m_.network.node(id).shape; }
  std::uint32_t width() {
    return low_ + static_cast<std::uint32_t>(pick(random_, high_ - low_ + 1));
  }

  NodeId input(Shape s) {
    m_.inputs.push_back(numbers(data_, m_.batch * s.size(), s.cols, 1, random_));
    return net().input(s);
  }
  NodeId parameter(std::uint32_t rows, std::uint32_t cols) {
    m_.parameters.emplace_back(rows, cols,
                               numbers(data_, std::size_t{rows} * cols, cols, cols, random_));
    return net().parameter(rows, cols);
  }

  // Sometimes with a weight that is in use already.
  NodeId linear(NodeId x) {
    const std::uint32_t in = shape(x).cols;
    if (in == 1 && low_ > 1) return net().linear(x, parameter(width(), 1));
    for (const NodeId w : net().parameters())
      if (pick(random_, 3) == 0 && shape(w).cols == in && shape(w).rows >= low_ &&
          shape(w).rows <= high_)
        return net().linear(x, w);
    const std::uint32_t out = width();
    const NodeId w = parameter(out, in);
    const bool bias = data_ == Data::near_kink || pick(random_, 3) != 0;
    return bias ? net().linear(x, w, parameter(1, out)) : net().linear(x, w);
  }

  Op any_activation() {
    return static_cast<Op>(static_cast<int>(Op::relu) + static_cast<int>(pick(random_, 9)));
  }
  NodeId activation(NodeId x, Op op) {
    constexpr std::array<float, 3> alphas{0.25f, 1.5f, 1.0f};
    return net().activation(op, x, alphas[pick(random_, 3)]);
  }

  NodeId add(NodeId x) {
    const Shape s = shape(x);
    switch (pick(random_, 5)) {
      case 0:
        return net().add(x, parameter(1, s.cols));
      case 1:
        return net().add(x, x);
      case 2:
        return net().add(x, activation(x, any_activation()));
      case 3:
        return s.cols <= 64 ? net().add(x, net().linear(x, parameter(s.cols, s.cols)))
                            : net().add(x, x);
      default:
        return net().add(x, input(s));
    }
  }
  NodeId mul(NodeId x) {
    const Shape s = shape(x);
    switch (pick(random_, 4)) {
      case 0:
        return net().mul(x, parameter(s.rows, s.cols));
      case 1:
        return net().mul(x, parameter(1, s.cols));
      case 2:
        return net().mul(x, activation(x, any_activation()));
      default:
        return net().mul(x, input(s));
    }
  }
  NodeId matmul(NodeId x) {
    const Shape s = shape(x);
    switch (pick(random_, 5)) {
      case 0:
        return s.cols <= 32 ? net().matmul(x, x, true, false) : net().matmul(x, x, false, true);
      case 1:
        return net().matmul(net().softmax(net().matmul(x, x, false, true)), x);
      case 2:
        return net().matmul(parameter(s.rows, 1 + s.rows), x, true, false);
      case 3:
        return net().matmul(x, input(s), false, true);
      default:
        return net().matmul(parameter(1 + s.rows, s.rows), x);
    }
  }

  NodeId last_step(NodeId x, Op op) {
    const Shape s = shape(x);
    switch (op) {
      case Op::linear:
        return linear(x);
      case Op::matmul:
        return matmul(x);
      case Op::add:
        return add(x);
      case Op::mul:
        return mul(x);
      case Op::softmax:
        return net().softmax(x);
      case Op::layer_norm:
        return net().layer_norm(x, pick(random_, 2) == 0 ? 1e-5f : 1e-3f);
      case Op::rms_norm:
        return net().rms_norm(x, pick(random_, 2) == 0 ? 1e-5f : 1e-3f);
      case Op::concat:
        if (2 * s.cols > widest) return x;
        return net().concat(x, pick(random_, 2) == 0 ? input(s) : activation(x, any_activation()));
      case Op::reshape:
        return s.cols <= 64 ? net().reshape(x, {s.cols, s.rows}) : net().reshape(x, s);
      default:
        return activation(x, op);
    }
  }
  NodeId step(NodeId x) {
    constexpr std::array<Op, 9> steps{Op::matmul,  Op::add,      Op::mul,
                                      Op::softmax, Op::rms_norm, Op::concat,
                                      Op::reshape, Op::linear,   Op::layer_norm};
    return last_step(x, steps[pick(random_, steps.size())]);
  }

  Data data_;
  Random& random_;
  std::uint32_t low_ = 1, high_ = 1, rows_ = 1;
  bool small_ = true;
  Model m_;
};

std::vector<const float*> pointers(const Model& m) {
  std::vector<const float*> p;
  for (const auto& x : m.inputs) p.push_back(x.data());
  return p;
}

}  // namespace

Model random_model(std::size_t width_class, std::size_t depth, Op last, Data data, Random& random) {
  return Builder(width_class, depth, data, random).build(depth, last);
}

void move_to_kinks(Model& m) {
  const LayeredArithmetic plain;
  for (NodeId id = 0; id < m.network.nodes().size(); ++id) {
    const Node& n = m.network.node(id);
    if (n.op != Op::linear || n.arity != 3) continue;
    Machine<float> machine(plain, {});
    machine.run(m.network, m.parameters, m.batch, pointers(m));
    Tensor& bias = m.parameters[m.network.node(n.args[2]).index];
    for (std::size_t j = 0; j < bias.data.size(); ++j) bias.data[j] -= machine.values(id)[j];
  }
}

}  // namespace ulpfuzz::bench
