#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "support/naive_ops.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

/// An independent reference: networks in fp64, node by node and entry by entry.
namespace ulpfuzz::naive {

/// Values of all nodes: entries(node) matrices each, one after another.
class Evaluator {
 public:
  Evaluator(const Network& network, std::size_t batch) : network_(network), batch_(batch) {}

  std::vector<Values> run(const std::vector<Values>& parameters,
                          const std::vector<Values>& inputs) {
    values_.clear();
    for (const Node& node : network_.nodes()) {
      if (node.op == Op::input)
        values_.push_back(inputs.at(node.index));
      else if (node.op == Op::parameter)
        values_.push_back(parameters.at(node.index));
      else if (node.op == Op::batch_sum || node.op == Op::outer_sum)
        values_.push_back(summed(node));
      else
        values_.push_back(each(node));
    }
    std::vector<Values> outputs;
    for (const NodeId id : network_.outputs()) outputs.push_back(values_[id]);
    return outputs;
  }

  const Values& value(NodeId id) const { return values_.at(id); }

 private:
  // The entry of operand `id` that entry e of a value on `axis` reads.
  Matrix operand(NodeId id, Axis axis, std::size_t e) const {
    const Node& node = network_.node(id);
    std::size_t from = e;
    if (node.axis == Axis::shared)
      from = 0;
    else if (node.axis == Axis::batch && axis == Axis::repeated)
      from = e / network_.repeat();
    Matrix m(node.shape.rows, node.shape.cols);
    std::copy_n(values_[id].begin() + static_cast<std::ptrdiff_t>(from * m.data.size()),
                m.data.size(), m.data.begin());
    return m;
  }

  std::vector<Matrix> operands(const Node& node, Axis axis, std::size_t e) const {
    std::vector<Matrix> args;
    for (const NodeId id : node.operands()) args.push_back(operand(id, axis, e));
    return args;
  }

  Values each(const Node& node) const {
    Values all;
    for (std::size_t e = 0; e < network_.entries(node, batch_); ++e) {
      const Matrix m = entry(network_, node, operands(node, node.axis, e),
                             network_.repeat() == 0 ? 0 : e % network_.repeat());
      all.insert(all.end(), m.data.begin(), m.data.end());
    }
    return all;
  }

  Values summed(const Node& node) const {
    Matrix sum(node.shape.rows, node.shape.cols);
    Axis axis = Axis::batch;
    for (const NodeId id : node.operands()) axis = std::max(axis, network_.node(id).axis);
    const std::size_t entries = axis == Axis::batch ? batch_ : batch_ * network_.repeat();
    for (std::size_t e = 0; e < entries; ++e) {
      const std::vector<Matrix> args = operands(node, axis, e);
      const Matrix m = node.op == Op::batch_sum ? args[0] : matmul(args[0], true, args[1], false);
      for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += m.data[i];
    }
    return sum.data;
  }

  const Network& network_;
  std::size_t batch_;
  std::vector<Values> values_;
};

inline std::vector<Values> widened(std::span<const Tensor> tensors) {
  std::vector<Values> wide;
  for (const Tensor& t : tensors) wide.emplace_back(t.data.begin(), t.data.end());
  return wide;
}

/// The outputs of `network`: [entries, shape.size()] each.
inline std::vector<Values> evaluate(const Network& network, const std::vector<Values>& parameters,
                                    std::size_t batch, const std::vector<Values>& inputs) {
  return Evaluator(network, batch).run(parameters, inputs);
}

inline std::vector<Values> evaluate(const Network& network, std::span<const Tensor> parameters,
                                    std::size_t batch, std::span<const Tensor> inputs) {
  return evaluate(network, widened(parameters), batch, widened(inputs));
}

}  // namespace ulpfuzz::naive
