#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t few_rows = 4;
constexpr double costly_row = 1e6;           // multiplications above which fewer rows must do
constexpr double most_work = 4e9;            // multiplications in a few seconds
constexpr std::size_t one_row_elements = 4;  // what refutes most wrong predictions at once

bool has(const Network& network, std::initializer_list<Op> ops) {
  const auto& nodes = network.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) {
    return std::find(ops.begin(), ops.end(), n.op) != ops.end();
  });
}

/// Of all products of one row, and what so many for each node come to in deep networks.
double multiplications(const Network& network) {
  constexpr std::size_t many = 1000;  // nodes, whose own cost matters then
  constexpr double a_node = 100;
  const std::size_t nodes = network.nodes().size();
  double sum = nodes > many ? a_node * static_cast<double>(nodes) : 0;
  for (const Node& n : network.nodes()) {
    if (n.op != Op::linear && n.op != Op::matmul) continue;
    const Shape& a = network.node(n.args[0]).shape;
    sum += static_cast<double>(n.shape.size()) * (n.transpose_a ? a.rows : a.cols);
  }
  return sum;
}

}  // namespace

Scene::Scene(const Evidence& evidence, const Baseline& baseline)
    : evidence_(evidence),
      layers_(layer_count(evidence.network)),
      width_(baseline.size() / evidence.rows),
      row_cost_(multiplications(evidence.network)),
      has_gelu_(has(evidence.network, {Op::gelu_erf, Op::gelu_tanh})),
      has_tanh_(has(evidence.network, {Op::tanh, Op::gelu_tanh})),
      has_exp_(has(evidence.network, {Op::sigmoid, Op::silu, Op::softplus, Op::elu, Op::softmax})) {
  choose_rows(evidence);
  pieces_[0].emplace(evidence.network, evidence.parameters, false);
}

/// Rows whose values say most: finite, few zeros; of these the first ones.
void Scene::choose_rows(const Evidence& evidence) {
  const std::vector<double> d = differences(evidence);
  std::vector<std::size_t> telling(evidence.rows);
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double value = evidence.a.empty() ? d[i] : double{evidence.a[i]};
    telling[i / width_] += std::isfinite(d[i]) && value != 0 ? 2 + (d[i] != 0) : 0;
  }
  std::vector<std::size_t> order(evidence.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rows_[index(Rows::all)] = order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t l, std::size_t r) { return telling[l] > telling[r]; });
  const auto first = [&](std::size_t n) {
    return std::vector<std::size_t>(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(n, order.size())));
  };
  rows_[index(Rows::few)] = first(row_cost_ > costly_row ? 1 : few_rows);
  rows_[index(Rows::one)] = first(width_ < one_row_elements ? 2 : 1);
}

bool Scene::affords(std::size_t evaluations) const {
  return row_cost_ * static_cast<double>(evaluations) <= most_work;
}

bool Scene::applies(const Hypothesis& h) const {
  if (h.other_gelu) return has_gelu_;
  if (h.fast_tanh) return has_tanh_;
  if (h.fast_exp) return has_exp_;
  return true;
}

Tree& Scene::tree(Rows which, bool swapped) {
  if (!pieces_[swapped]) pieces_[swapped].emplace(evidence_.network, evidence_.parameters, swapped);
  auto& tree = trees_[swapped][index(which)];
  if (!tree) tree = std::make_unique<Tree>(*pieces_[swapped], evidence_.inputs, rows(which));
  return *tree;
}

void Scene::predict(std::size_t variant, std::size_t order, std::span<const Pattern> patterns,
                    Rows which, const Tree::Visit& visit) {
  const Hypothesis& h = hypotheses()[variants()[variant].hypothesis];
  if (!whole(h)) {
    tree(which, false)
        .walk(emulated(variant, order), emulated(0, order), patterns, visit, keeps(h));
    return;
  }
  for (const Pattern p : patterns)
    visit(p, p == 0 ? tree(which, false).whole(emulated(0, order))
                    : tree(which, h.other_gelu).whole(emulated(variant, order)));
}

std::vector<float> Scene::predict(std::size_t variant, std::size_t order, Pattern pattern,
                                  Rows which) {
  std::vector<float> result;
  predict(variant, order, {&pattern, 1}, which,
          [&](Pattern, std::span<const float> y) { result.assign(y.begin(), y.end()); });
  return result;
}

}  // namespace ulpfuzz::diagnosis
