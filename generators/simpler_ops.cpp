#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cost.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::array simple_activations{Op::relu, Op::leaky_relu, Op::tanh, Op::sigmoid};

void become(Node& node, Op op) {
  node.op = op;
  node.alpha = usual_alpha(op);
}

void all_relu(const Case& c, Edits& edits) {
  const auto count = std::ranges::count_if(c.network.nodes(), [](const Node& node) {
    return is_activation(node.op) && node.op != Op::relu;
  });
  if (count < 2) return;
  offer_later(edits, c, "all activations -> relu", [](Draft& draft) {
    for (Node& node : draft.nodes()) {
      if (is_activation(node.op)) become(node, Op::relu);
    }
  });
}

void simpler_activation(const Case& c, NodeId id, Edits& edits) {
  for (const Op op : simple_activations) {
    if (op_rank(op) >= op_rank(c.network.node(id).op)) continue;
    offer_later(edits, c, fmt::format("{} -> {}", label(c.network, id), name(op)),
                [id, op](Draft& draft) { become(draft.nodes()[id], op); });
  }
}

// Any op of which another shape would do, or that keeps the shape.
void to_relu(const Case& c, NodeId id, const std::vector<std::uint32_t>& used, Edits& edits) {
  const Network& net = c.network;
  const Node& node = net.node(id);
  const bool output = id == net.outputs().front();
  for (const NodeId arg : node.operands()) {
    const Node& x = net.node(arg);
    if (x.axis != Axis::batch || (x.shape != node.shape && !output)) continue;
    const auto goes = [&](NodeId other) { return other != arg && used[other] == 1; };
    if (x.shape.size() > node.shape.size() && std::ranges::none_of(node.operands(), goes)) continue;
    offer_later(edits, c, fmt::format("{} -> relu of {}", label(net, id), label(net, arg)),
                [id, arg, shape = x.shape, output](Draft& draft) {
                  Node& n = draft.nodes()[id];
                  become(n, Op::relu);
                  n.arity = 1;
                  n.args[0] = arg;
                  n.shape = shape;
                  if (output) draft.new_output();
                });
    return;
  }
}

}  // namespace

void simpler_ops(const Case& c, const Focus&, Edits& edits) {
  const Network& net = c.network;
  const auto used = uses(net);
  all_relu(c, edits);
  for (NodeId id = 0; id <= net.outputs().front(); ++id) {
    const Node& node = net.node(id);
    if (node.alpha != usual_alpha(node.op)) {
      offer_later(edits, c, "usual parameter of " + label(net, id), [id](Draft& draft) {
        draft.nodes()[id].alpha = usual_alpha(draft.nodes()[id].op);
      });
    }
    if (is_leaf(node) || node.op == Op::relu || node.axis != Axis::batch) continue;
    if (is_activation(node.op)) {
      simpler_activation(c, id, edits);
    } else {
      to_relu(c, id, used, edits);
    }
  }
}

}  // namespace ulpfuzz::generators
