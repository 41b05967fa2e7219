#pragma once

#include "adjoint.hpp"
#include "node_arithmetic.hpp"
#include "own_variance.hpp"
#include "result.hpp"
#include "typical.hpp"

namespace ulpfuzz::bounds {

/// One walk over a network: a Value for each node, a Result for each output.
struct Analysis::Impl {
  const Network* network = nullptr;
  std::size_t batch = 0;
  AnalysisOptions options;
  NodeArithmetics arithmetics;
  const NodeArithmetic* arithmetic = nullptr;  ///< of the node at hand
  Context context;
  std::vector<Value> values;
  std::vector<Result> results;
  std::size_t result_count = 0;
  std::vector<Result*> only_result;  ///< of each node that is one output and nothing else
  Value lone;                        ///< the elements of one entry, alone
  Result lone_result;
  Adjoint adjoint;
  Typical typical;
  bool typical_ready = false;
  Variances variances;             ///< of the probabilistic tier, for the matrix adjoint
  Value converted[2];              ///< operands of the product at hand
  Value other;                     ///< that product in plain fp32
  std::vector<std::uint8_t> cuts;  ///< of each node: does the adjoint stop there?

  Value& operand(const Node& node, std::size_t i) {
    Value& v = values[node.args[i]];
    need_variance(v);
    return v;
  }
  const Node& operand_node(const Node& node, std::size_t i) const {
    return network->node(node.args[i]);
  }

  /// As the product `node` reads it: converted, where the walk converts.
  Value& factor(const Node& node, std::size_t i);
  void use_arithmetic_of(NodeId id) {
    if (arithmetics.uniform()) return;
    arithmetic = &arithmetics.at(id);
    context.model = arithmetic->model;
  }
  /// How outputs of this node are rounded once more.
  Narrowing store_of(NodeId id) const;
  void start(const LayeredArithmetic& stated);

  void evaluate(NodeId id, std::span<const ObservedKinks> observed);
  void apply(NodeId id, std::span<const ObservedKinks> observed);
  void evaluate_derived(const Node& node, std::span<const ObservedKinks> observed, Value& y);
  void evaluate_derivative(const Node& node, std::span<const ObservedKinks> observed, Value& y);
  void evaluate_sum(const Node& node, Value& y);
  void evaluate_matmul(NodeId id, Value& y);
  /// linear, matmul and outer_sum: in both arithmetics, where there are two.
  void multiply(const Node& node, Value& y);
  void multiply_once(const Node& node, Value& y);
  void sharpen(NodeId id);
  bool deferred(NodeId id) const;
  bool worth_sharpening(NodeId id) const;
  TypicalScene scene() const {
    return {
        *network, {values.data(), network->nodes().size()}, arithmetics, options.conditional, cuts};
  }
  void mark_cuts();
  void name_results();
  Result& result(std::size_t index);
  void complete(Result& r);
  void check_entry(const Result& r, std::size_t entry) const;
};

}  // namespace ulpfuzz::bounds
