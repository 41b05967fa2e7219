#include "own_variance.hpp"

#include <algorithm>
#include <cmath>

namespace ulpfuzz::bounds {
namespace {

double square(double x) { return x * x; }

struct Scene {
  const Network& network;
  std::span<const Value> values;
  const Node& node;
  const Value& y;

  const Value& operand(std::size_t i) const { return values[node.args[i]]; }
  std::size_t offset(std::size_t i, std::size_t e) const {
    const EntryMap map = entry_map(operand(i), network.node(node.args[i]), node, network.repeat());
    return map(e) * map.stride;
  }
  bool shared(std::size_t i) const { return network.node(node.args[i]).axis == Axis::shared; }
};

/// A matrix read by rows, or by columns.
struct Reader {
  const double* at;
  std::size_t cols;
  bool flip;
  double operator()(std::size_t r, std::size_t c) const {
    return at[flip ? c * cols + r : r * cols + c];
  }
};

/// sum of b^2 var a over the inner dimension: what the operand that is not shared brings.
void subtract_product(const Scene& s, std::vector<double>& own) {
  const bool linear = s.node.op == Op::linear;
  const Value &a = s.operand(0), &b = s.operand(1);
  const bool left = !s.shared(0);
  const bool flip_a = !linear && s.node.transpose_a, flip_b = linear || s.node.transpose_b;
  const std::size_t k = flip_a ? a.rows : a.cols;
  for (std::size_t e = 0; e < s.y.entries; ++e) {
    const auto& from_a = left ? a.variance : a.value;
    const auto& from_b = left ? b.value : b.variance;
    const Reader ra{from_a.data() + s.offset(0, e), a.cols, flip_a};
    const Reader rb{from_b.data() + s.offset(1, e), b.cols, flip_b};
    for (std::size_t i = 0; i < s.y.rows; ++i)
      for (std::size_t j = 0; j < s.y.cols; ++j) {
        double brought = 0;
        for (std::size_t l = 0; l < k; ++l)
          brought += left ? ra(i, l) * square(rb(l, j)) : square(ra(i, l)) * rb(l, j);
        double& o = own[(e * s.y.rows + i) * s.y.cols + j];
        o = std::max(o - brought, 0.0);
      }
  }
}

/// sum of |a| dev b + |b| dev a over the inner dimension.
double conspiring(const Reader& a, const Reader& va, const Reader& b, const Reader& vb,
                  std::size_t i, std::size_t j, std::size_t k) {
  double sum = 0;
  for (std::size_t l = 0; l < k; ++l)
    sum += std::fabs(a(i, l)) * std::sqrt(vb(l, j)) + std::fabs(b(l, j)) * std::sqrt(va(i, l));
  return sum;
}

void subtract_activation(const Scene& s, std::vector<double>& own) {
  const Value& x = s.operand(0);
  const auto slope = activation_slopes(s.node, x.value.data(), x.variance.data(), s.y.count());
  for (std::size_t i = 0; i < s.y.count(); ++i)
    own[i] = std::max(own[i] - square(slope[i]) * x.variance[i], square(s.y.local[i]));
}

}  // namespace

void add_conspiring_variance(const Network& network, std::span<const Value> values,
                             const Node& node, Value& y) {
  const Scene s{network, values, node, y};
  if (node.op != Op::matmul || y.error_free || s.shared(0) || s.shared(1)) return;
  const Value &a = s.operand(0), &b = s.operand(1);
  if (a.deviations || b.deviations) return;
  const std::size_t k = node.transpose_a ? a.rows : a.cols;
  for (std::size_t e = 0; e < y.entries; ++e) {
    const std::size_t at_a = s.offset(0, e), at_b = s.offset(1, e);
    const Reader ra{a.value.data() + at_a, a.cols, node.transpose_a};
    const Reader va{a.variance.data() + at_a, a.cols, node.transpose_a};
    const Reader rb{b.value.data() + at_b, b.cols, node.transpose_b};
    const Reader vb{b.variance.data() + at_b, b.cols, node.transpose_b};
    for (std::size_t i = 0; i < y.rows; ++i)
      for (std::size_t j = 0; j < y.cols; ++j) {
        const double deviation = conspiring(ra, va, rb, vb, i, j, k);
        y.variance[(e * y.rows + i) * y.cols + j] += y.deviations ? deviation : square(deviation);
      }
  }
}

void split_variance(const Network& network, std::span<const Value> values, NodeId id,
                    Variances& to) {
  const Node& node = network.node(id);
  const Value& y = values[id];
  const Scene s{network, values, node, y};
  auto& own = to.local[id];
  auto& all = to.total[id];
  all.assign(y.variance.begin(), y.variance.begin() + static_cast<std::ptrdiff_t>(y.count()));
  if (y.deviations)
    for (double& v : all) v = square(v);
  own = all;
  if (y.error_free) return;
  if (node.op == Op::linear || (node.op == Op::matmul && (s.shared(0) || s.shared(1)))) {
    subtract_product(s, own);
  } else if (node.op == Op::add || node.op == Op::mul) {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = square(y.local[i]);
  } else if (node.op == Op::concat || node.op == Op::reshape) {
    std::fill(own.begin(), own.end(), 0.0);
  } else if (is_activation(node.op)) {
    subtract_activation(s, own);
  }
}

}  // namespace ulpfuzz::bounds
