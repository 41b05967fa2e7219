#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

Tensor ones(const Case& c) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  return Tensor(batch, 1, std::vector<float>(batch, 1.0f));
}

Tensor first_column(const Case& c) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  Tensor column = ones(c);
  if (c.inputs.empty() || c.inputs[0].cols == 0) return column;
  for (std::uint32_t r = 0; r < batch; ++r) column.data[r] = c.inputs[0].row(r)[0];
  return column;
}

float first_number(const Case& c) {
  for (const Tensor& t : c.parameters) {
    if (!t.data.empty()) return t.data[0];
  }
  return 1;
}

using Op1 = NodeId (*)(Network&, NodeId);
using Column = Tensor (*)(const Case&);

Case tiny(const Case& c, Op1 op, Column column) {
  Case result;
  result.split = c.split;
  result.layout = c.layout;
  result.network.output(op(result.network, result.network.input(1)));
  result.inputs = {column(c)};
  for (std::size_t i = 0; i < result.network.parameters().size(); ++i)
    result.parameters.push_back(Tensor(1, 1, {first_number(c)}));
  if (c.cotangents.rows + c.cotangents.cols > 0) result.cotangents = ones(c);
  return result;
}

NodeId tied(Network& net, NodeId x) {
  const NodeId w = net.parameter(1, 1);
  return net.linear(x, w, w);
}

NodeId linear(Network& net, NodeId x) { return net.linear(x, net.parameter(1, 1)); }

NodeId linear_with_bias(Network& net, NodeId x) {
  const NodeId w = net.parameter(1, 1);
  return net.linear(x, w, net.parameter(1, 1));
}

void offer_tiny(const Case& c, std::string name, std::size_t nodes, Op1 op, Column column,
                Edits& edits) {
  if (c.network.nodes().size() <= nodes) return;
  edits.push_back({std::move(name), [&c, op, column] { return tiny(c, op, column); }});
}

// Relu of what the output is, where the way there does not matter.
void relu_of_output(const Case& c, const Activations& values, bool magnitudes, Edits& edits) {
  edits.push_back(
      {magnitudes ? "only relu of the magnitudes of the output" : "only relu of the output",
       [&c, values, magnitudes] {
         Case result = c;
         const NodeId out = c.network.outputs().front();
         const auto cols = static_cast<std::uint32_t>(c.output_width());
         std::vector<float> known = values ? values(c, out) : std::vector<float>();
         known.resize(c.batch() * cols, 1.0f);
         if (magnitudes) {
           for (float& x : known) x = std::fabs(x);
         }
         result.network = Network();
         result.network.output(
             result.network.activation(Op::relu, result.network.input(c.output_node().shape)));
         result.parameters.clear();
         result.inputs = {Tensor(static_cast<std::uint32_t>(c.batch()), cols, std::move(known))};
         return result;
       }});
}

}  // namespace

void single_ops(const Case& c, const Focus& focus, Edits& edits) {
  const Node& out = c.output_node();
  const bool same_shape = c.network.nodes().size() == 2 && out.arity == 1 &&
                          c.network.node(out.args[0]).shape == out.shape;
  const bool simpler_op = same_shape && out.op != Op::relu;
  if (c.network.nodes().size() > 2 || simpler_op) {
    for (const bool magnitudes : {false, true})
      relu_of_output(c, focus.activations, magnitudes, edits);
  }
  offer_tiny(c, "only linear(x, w) of one feature", 3, linear, first_column, edits);
  offer_tiny(c, "only linear(1, w) of one feature", 3, linear, ones, edits);
  offer_tiny(c, "only linear(x, w, w) of one feature", 3, tied, first_column, edits);
  offer_tiny(c, "only linear(x, w, b) of one feature", 4, linear_with_bias, first_column, edits);
}

}  // namespace ulpfuzz::generators
