#include "signature_altered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

namespace ulpfuzz::diagnosis {
namespace {

/// Parameters of one role: weights, with the side their inner dimension is on, or biases.
struct Role {
  std::size_t parameter = 0;
  bool inner_is_cols = true;
};

std::optional<std::size_t> parameter_of(const Network& network, NodeId id) {
  const Node& node = network.node(id);
  if (node.op != Op::parameter) return std::nullopt;
  return node.index;
}

std::vector<Role> biases(const Network& network) {
  std::vector<Role> all;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear || node.arity < 3) continue;
    if (const auto p = parameter_of(network, node.args[2])) all.push_back({*p, true});
  }
  return all;
}

std::vector<Role> weights(const Network& network) {
  std::vector<Role> all;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto p = parameter_of(network, node.args[i]);
      if (!p) continue;
      // x W^T of linear and W x, x W^T of matmul sum over columns.
      const bool cols = node.op == Op::linear || (i == 0 ? !node.transpose_a : node.transpose_b);
      all.push_back({*p, cols});
    }
  }
  return all;
}

bool clear(Tensor& t, const Role&) {
  const bool some = std::any_of(t.data.begin(), t.data.end(), [](float x) { return x != 0; });
  std::fill(t.data.begin(), t.data.end(), 0.0f);
  return some;
}

bool transpose(Tensor& t, const Role&) {
  if (t.rows != t.cols || t.rows < 2) return false;
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(t.row(i)[j], t.row(j)[i]);
  return true;
}

bool drop(Tensor& t, bool last_col) {
  if (t.rows == 0 || t.cols == 0) return false;
  if (last_col)
    for (std::size_t r = 0; r < t.rows; ++r) t.row(r)[t.cols - 1] = 0;
  else
    std::fill(t.row(t.rows - 1).begin(), t.row(t.rows - 1).end(), 0.0f);
  return true;
}

bool drop_inner(Tensor& t, const Role& role) { return drop(t, role.inner_is_cols); }
/// In the backward pass a weight is summed over its other dimension.
bool drop_outer(Tensor& t, const Role& role) { return drop(t, !role.inner_is_cols); }

using Change = bool (*)(Tensor&, const Role&);
enum class Pass { both, forward, backward };

class Builder {
 public:
  Builder(const Network& network, std::span<const Tensor> parameters)
      : network_(network),
        parameters_(parameters.begin(), parameters.end()),
        by_layer_(!too_large_to_alter_by_layer(network, parameters)) {}

  void change(const char* name, const std::vector<Role>& roles, Change apply, Pass pass) {
    const char* where = pass == Pass::backward  ? ", backward"
                        : pass == Pass::forward ? ", forward alone"
                                                : "";
    if (roles.size() > 1) add(name, std::string("all layers") + where, roles, apply, pass);
    if (!by_layer_) return;
    for (const Role& role : roles)
      add(name, fmt::format("parameter {}{}", role.parameter, where), {role}, apply, pass);
  }

  void activations() {
    std::vector<NodeId> all;
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      if (is_activation(network_.node(id).op)) all.push_back(id);
    if (all.size() > 1) add_without("all", all);
    if (!by_layer_) return;
    for (std::size_t i = 0; i < all.size(); ++i)
      add_without(fmt::format("{} {}", name_of(all[i]), i), {all[i]});
  }

  std::vector<Altered> take() { return std::move(all_); }

 private:
  std::string_view name_of(NodeId id) const { return ulpfuzz::name(network_.node(id).op); }

  void add(const char* name, const std::string& detail, const std::vector<Role>& roles,
           Change apply, Pass pass) {
    std::vector<Tensor> changed = parameters_;
    bool some = false;
    for (const Role& role : roles) some = apply(changed[role.parameter], role) || some;
    if (!some) return;
    all_.push_back({name, detail, network_, pass == Pass::backward ? parameters_ : changed,
                    pass == Pass::forward ? parameters_ : changed});
  }

  /// leaky_relu of slope 1 is the identity, exactly.
  void add_without(const std::string& detail, const std::vector<NodeId>& ids) {
    Network network;
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      Node node = network_.node(id);
      if (std::binary_search(ids.begin(), ids.end(), id)) {
        node.op = Op::leaky_relu;
        node.alpha = 1;
      }
      network.append(node);
    }
    for (const NodeId id : network_.outputs()) network.output(id);
    all_.push_back({"activation missing", detail, std::move(network), parameters_, parameters_});
  }

  const Network& network_;
  std::vector<Tensor> parameters_;
  bool by_layer_;
  std::vector<Altered> all_;
};

}  // namespace

bool too_large_to_alter_by_layer(const Network& network, std::span<const Tensor> parameters) {
  constexpr double most = 2e8, numbers_a_node = 32;
  double copy = numbers_a_node * static_cast<double>(network.nodes().size());
  for (const Tensor& t : parameters) copy += static_cast<double>(t.data.size());
  std::size_t altered = 0;
  for (const Node& node : network.nodes())
    altered += (node.op == Op::linear || node.op == Op::matmul ? 3u : 0u) + is_activation(node.op);
  return copy * static_cast<double>(altered) > most;
}

std::vector<Altered> altered_networks(const Network& network, std::span<const Tensor> parameters,
                                      bool backward) {
  Builder builder(network, parameters);
  const std::vector<Role> all = weights(network);
  builder.change("missing bias", biases(network), clear, Pass::both);
  builder.change("transposed weight", all, transpose, Pass::both);
  builder.change("last product dropped", all, drop_inner, Pass::both);
  if (backward) {
    for (const Pass pass : {Pass::forward, Pass::backward})
      builder.change("transposed weight", all, transpose, pass);
    builder.change("last product dropped", all, drop_inner, Pass::forward);
    builder.change("last product dropped", all, drop_outer, Pass::backward);
  }
  builder.activations();
  return builder.take();
}

}  // namespace ulpfuzz::diagnosis
