#pragma once

#include <span>
#include <vector>

#include "rules.hpp"

namespace ulpfuzz::bounds {

/// The adjoint bound of all elements of one node for one entry: sum over nodes and elements of
/// (|g| + R) local, where g is the exact gradient of the element with respect to what the node
/// computes and R its radius over the boxes of all values. Networks without derivative ops.
class Adjoint {
 public:
  /// False where it does not apply: derivative ops, or an entry with values that are not finite.
  bool run(const Network& network, std::span<const Value> values, NodeId top, std::size_t entry,
           const Context& context);

  /// One a element of the node.
  std::span<const double> bounds() const { return bounds_; }

 private:
  struct Gradient {
    bool present = false;
    std::vector<double> value, radius;  ///< [elements of top, elements of the node]
  };

  bool applies(NodeId top, std::size_t entry) const;
  Gradient& gradient_of(NodeId id);
  void charge(const Gradient& g, const double* error, std::size_t size);
  void step(NodeId id);
  void product(NodeId to, const Gradient& g, const Node& node);
  void matmul(const Node& node, const Gradient& g);
  void elementwise(NodeId to, const Gradient& g, const double* factor, const double* error,
                   std::size_t period);
  void activation(const Node& node, const Gradient& g);
  void concat(const Node& node, const Gradient& g);
  const double* value_of(NodeId id) const;
  const double* error_of(NodeId id) const;
  std::size_t offset(NodeId id) const;

  const Network* network_ = nullptr;
  std::span<const Value> values_;
  std::size_t entry_ = 0;
  std::size_t elements_ = 0;
  Context context_;
  Value z_, slope_;
  std::vector<Gradient> gradients_;
  std::vector<double> bounds_;
};

}  // namespace ulpfuzz::bounds
