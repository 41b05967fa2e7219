#pragma once

#include "adjoint.hpp"
#include "result.hpp"

namespace ulpfuzz::bounds {

/// One walk over a network: a Value for each node, a Result for each output.
struct Analysis::Impl {
  const Network* network = nullptr;
  Context context;
  std::vector<Value> values;
  std::vector<Result> results;
  std::size_t result_count = 0;
  std::vector<Result*> only_result;  ///< of each node that is one output and nothing else
  Value lone;                        ///< the elements of one entry, alone
  Result lone_result;
  Adjoint adjoint;

  Value& operand(const Node& node, std::size_t i) {
    Value& v = values[node.args[i]];
    need_variance(v);
    return v;
  }
  const Node& operand_node(const Node& node, std::size_t i) const {
    return network->node(node.args[i]);
  }

  void evaluate(NodeId id, std::span<const ObservedKinks> observed);
  void evaluate_derived(const Node& node, std::span<const ObservedKinks> observed, Value& y);
  void evaluate_derivative(const Node& node, std::span<const ObservedKinks> observed, Value& y);
  void evaluate_sum(const Node& node, Value& y);
  void evaluate_matmul(NodeId id, Value& y);
  void multiply(const Node& node, Value& y) {
    matmul_rule(node, operand_node(node, 0), operand_node(node, 1), operand(node, 0),
                operand(node, 1), y, context);
  }
  void name_results();
  Result& result(std::size_t index);
  void complete(Result& r);
  void check_entry(const Result& r, std::size_t entry) const;
};

}  // namespace ulpfuzz::bounds
