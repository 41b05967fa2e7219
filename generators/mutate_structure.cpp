#include <algorithm>
#include <array>

#include "cost.hpp"
#include "draft.hpp"
#include "mutate_families.hpp"
#include "mutate_graft.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::array plain_activations{Op::relu, Op::tanh, Op::sigmoid};
constexpr std::array unary{Op::relu, Op::tanh,     Op::sigmoid,    Op::leaky_relu,
                           Op::silu, Op::gelu_erf, Op::gelu_tanh,  Op::softplus,
                           Op::elu,  Op::softmax,  Op::layer_norm, Op::rms_norm};

bool is_unary(Op op) { return std::ranges::count(unary, op) > 0; }

NodeId any(const std::vector<NodeId>& list, Source& source) {
  return list[source.below(list.size())];
}

// What `alter` makes of a random op; the case itself where it refuses.
template <class Alter>
Case altered(const Case& c, Source& source, Alter alter) {
  const auto list = batch_nodes(c.network, true);
  if (list.empty()) return c;
  Draft draft(c.network);
  if (!alter(draft, any(list, source))) return c;
  draft.settle();
  auto masks = draft.no_masks();
  if (!draft.close(masks)) return c;
  return draft.apply(c, masks);
}

float any_alpha(Op op, Source& source) {
  constexpr std::array slopes{0.01f, 0.25f, 1.0f, 2.0f};
  constexpr std::array epsilons{1e-5f, 1e-3f, 1e-6f};
  if (op == Op::leaky_relu || op == Op::elu) return slopes[source.below(slopes.size())];
  return usual_alpha(op) == 0 ? 0 : epsilons[source.below(epsilons.size())];
}

void become_other_unary(Node& node, Source& source, bool plain) {
  node.op = plain ? plain_activations[source.below(plain_activations.size())]
                  : unary[source.below(unary.size())];
  node.alpha = source.chance(80) ? usual_alpha(node.op) : any_alpha(node.op, source);
}

// An operand becomes another value of its shape.
bool rewire(Draft& draft, NodeId id, Source& source) {
  Node& node = draft.nodes()[id];
  if (node.arity == 0) return false;
  NodeId& operand = node.args[source.below(node.arity)];
  const Node& now = draft.nodes()[operand];
  std::vector<NodeId> others;
  for (NodeId x = 0; x < id; ++x) {
    const Node& other = draft.nodes()[x];
    if (x != operand && other.axis == now.axis && other.shape == now.shape) others.push_back(x);
  }
  if (others.empty()) return false;
  operand = any(others, source);
  return true;
}

bool replace(Draft& draft, NodeId id, Source& source, bool plain) {
  Node& node = draft.nodes()[id];
  if (source.chance(30)) return rewire(draft, id, source);
  if (is_unary(node.op)) {
    become_other_unary(node, source, plain);
    return true;
  }
  switch (node.op) {
    case Op::linear:
      if (node.arity < 3 || !source.chance(30)) return rewire(draft, id, source);
      node.arity = 2;
      return true;
    case Op::add:
    case Op::mul:
      if (source.chance(50))
        node.op = node.op == Op::add ? Op::mul : Op::add;
      else
        std::swap(node.args[0], node.args[1]);
      return true;
    case Op::concat:
      std::swap(node.args[0], node.args[1]);
      return true;
    default:
      return rewire(draft, id, source);
  }
}

// Nodes of one value a row that `last` depends on.
std::vector<NodeId> sources_of(const Network& net, NodeId last) {
  std::vector<bool> seen(net.nodes().size(), false);
  seen[last] = true;
  std::vector<NodeId> result;
  for (NodeId id = last + 1; id-- > 0;) {
    if (!seen[id]) continue;
    for (const NodeId arg : net.node(id).operands()) seen[arg] = true;
    if (id != last && net.node(id).axis == Axis::batch) result.push_back(id);
  }
  return result;
}

// What `last` needs besides `first`, `last` too; empty where it does not need `first`.
std::vector<bool> between(const Network& net, NodeId first, NodeId last) {
  std::vector<bool> seen(net.nodes().size(), false);
  seen[last] = true;
  for (NodeId id = last + 1; id-- > 0;) {
    if (!seen[id] || id == first) continue;
    for (const NodeId arg : net.node(id).operands()) seen[arg] = true;
  }
  if (!seen[first] || first == last) return {};
  seen[first] = false;
  return seen;
}

const Tensor* numbers_of(const Case& c, const Node& node) {
  if (node.op == Op::parameter) return &c.parameters[node.index];
  return node.op == Op::input ? &c.inputs[node.index] : nullptr;
}

}  // namespace

std::vector<NodeId> batch_nodes(const Network& net, bool ops) {
  std::vector<NodeId> result;
  for (NodeId id = 0; id < net.nodes().size(); ++id) {
    const Node& node = net.node(id);
    if (node.axis == Axis::batch && (!ops || node.op != Op::input)) result.push_back(id);
  }
  return result;
}

Case inserted_ops(const Case& c, Source& source, const Limits& limits) {
  const NodeId at = any(batch_nodes(c.network, false), source);
  Regrown regrown(c, source, limits);
  return regrown.after(at, [&](NodeId x) {
    Builder& b = regrown.builder();
    if (limits.kind == Limits::Kind::everything) return grow(source, b, x);
    const NodeId y = b.linear(x, b.width());
    return b.plan().network.activation(plain_activations[source.below(plain_activations.size())],
                                       y);
  });
}

Case deleted_op(const Case& c, Source& source, const Limits&) {
  return altered(c, source, [&](Draft& draft, NodeId id) {
    std::vector<NodeId> operands;
    for (const NodeId arg : draft.nodes()[id].operands())
      if (draft.nodes()[arg].axis == Axis::batch) operands.push_back(arg);
    if (operands.empty()) return false;
    const NodeId with = any(operands, source);
    // An input alone shows nothing.
    if (id == draft.output() && draft.nodes()[with].op == Op::input) return false;
    draft.replace(id, with, source.chance(50));
    if (id == draft.output()) draft.new_output();
    return true;
  });
}

Case replaced_op(const Case& c, Source& source, const Limits& limits) {
  const bool plain = limits.kind == Limits::Kind::plain;
  return altered(c, source,
                 [&](Draft& draft, NodeId id) { return replace(draft, id, source, plain); });
}

Case repeated_ops(const Case& c, Source& source, const Limits& limits) {
  const auto ops = batch_nodes(c.network, true);
  if (ops.empty()) return c;
  const NodeId last = any(ops, source);
  const auto firsts = sources_of(c.network, last);
  if (firsts.empty()) return c;
  const NodeId at = source.chance(70) ? last : any(ops, source);
  return grafted(c, at, c, any(firsts, source), last, source, limits);
}

Case grafted(const Case& a, NodeId at, const Case& b, NodeId first, NodeId last, Source& source,
             const Limits& limits) {
  const std::vector<bool> needed = between(b.network, first, last);
  if (needed.empty()) return a;
  const bool shared = &a == &b && source.chance(50);  // the same parameters once more
  Regrown regrown(a, source, limits);
  return regrown.after(at, [&](NodeId x) {
    std::vector<NodeId> now(needed.size());
    now[first] = regrown.with_shape(x, b.network.node(first).shape);
    if (regrown.network().node(now[first]).shape != b.network.node(first).shape) return x;
    for (NodeId id = 0; id <= last; ++id) {
      if (!needed[id]) continue;
      Node node = b.network.node(id);
      if (shared && node.arity == 0 && id < at) {
        now[id] = regrown.now(id);
        continue;
      }
      for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = now[node.args[i]];
      now[id] = regrown.append(node, numbers_of(b, node));
    }
    return now[last];
  });
}

}  // namespace ulpfuzz::generators
