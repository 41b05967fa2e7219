#include <fmt/format.h>

#include <algorithm>

#include "edits.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::generators {
namespace {

// The ops that have a value per batch row, but the output.
std::vector<NodeId> inner_ops(const Network& net) {
  std::vector<NodeId> ops;
  for (NodeId id = 0; id < net.outputs().front(); ++id) {
    if (!is_leaf(net.node(id)) && net.node(id).axis == Axis::batch) ops.push_back(id);
  }
  return ops;
}

// Indices of [0, n): the first, then by bisection towards the last, then the rest if they are few.
std::vector<std::size_t> bisecting(std::size_t n, std::size_t few) {
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t i) {
    if (std::ranges::find(order, i) == order.end()) order.push_back(i);
  };
  if (n > 0) add(0);
  for (std::size_t step = n / 2; step > 0; step /= 2) add(n - step);
  for (std::size_t i = 0; i < std::min(n, few); ++i) add(i);
  return order;
}

constexpr std::size_t few = 64;

// What the gradient of the output pulls back to a node: of the network from there on, whose vjp is
// a network too. Nothing where it is not known.
Tensor pulled_back(const Case& c, NodeId id, const Activations& values) {
  Draft draft(c.network);
  draft.freeze(id, values);
  draft.settle();
  Case suffix = draft.apply(c, draft.no_masks());
  std::size_t index = 0;
  for (NodeId n = 0; n < id; ++n) index += draft.is_left(n) && c.network.node(n).op == Op::input;
  const auto rows = static_cast<std::uint32_t>(c.batch());
  const auto cols = static_cast<std::uint32_t>(c.network.node(id).shape.size());
  suffix.inputs.push_back(std::move(suffix.cotangents));
  suffix.network = vjp(suffix.network);
  std::vector<float> known = values(suffix, suffix.network.outputs()[index]);
  if (known.size() != std::size_t{rows} * cols) return {};
  return Tensor(rows, cols, std::move(known));
}

void truncate(const Case& c, NodeId id, Edits& edits) {
  offer_later(edits, c, "output := " + label(c.network, id),
              [id](Draft& draft) { draft.set_output(id); });
}

void truncate_with_cotangents(const Case& c, NodeId id, const Activations& values, Edits& edits) {
  edits.push_back(
      {fmt::format("output := {}, with its cotangents", label(c.network, id)), [&c, id, values] {
         Draft draft(c.network);
         draft.set_output(id);
         draft.settle();
         Case result = draft.apply(c, draft.no_masks());
         Tensor cotangents = pulled_back(c, id, values);
         if (!cotangents.data.empty()) result.cotangents = std::move(cotangents);
         return result;
       }});
}

}  // namespace

// Down to an input that is the output: a network of no op still has its buffers and calls.
void truncated_suffix(const Case& c, const Focus& focus, Edits& edits) {
  const auto ops = inner_ops(c.network);
  if (const auto& inputs = c.network.inputs(); !inputs.empty() && c.network.nodes().size() > 1) {
    offer_later(edits, c, "output := " + label(c.network, inputs.front()),
                [id = inputs.front()](Draft& draft) { draft.set_output(id); });
  }
  const auto order = bisecting(ops.size(), few);
  for (const std::size_t i : order) truncate(c, ops[i], edits);
  if (!focus.activations || c.cotangents.data.empty()) return;
  for (const std::size_t i : order) truncate_with_cotangents(c, ops[i], focus.activations, edits);
}

// A frozen op takes its operands away; where others need them all, the network is no smaller.
void frozen_prefix(const Case& c, const Focus& focus, Edits& edits) {
  auto ops = inner_ops(c.network);
  const auto used = uses(c.network);
  std::erase_if(ops, [&](NodeId id) { return !frees_operand(c.network, id, used); });
  std::ranges::reverse(ops);
  const auto order = bisecting(ops.size(), few);
  const auto offer = [&](NodeId id, std::string_view values, const Activations& recorded) {
    offer_later(edits, c, fmt::format("{} := {}", label(c.network, id), values),
                [id, recorded](Draft& draft) { draft.freeze(id, recorded); });
  };
  if (focus.activations) {
    for (const std::size_t i : order) offer(ops[i], "its values", focus.activations);
  }
  const NodeId out = c.network.outputs().front();
  if (focus.activations && !is_leaf(c.network.node(out)))
    offer(out, "its values", focus.activations);
  for (const std::size_t i : order) offer(ops[i], "normal input", {});
  if (!is_leaf(c.network.node(out))) offer(out, "normal input", {});
}

}  // namespace ulpfuzz::generators
