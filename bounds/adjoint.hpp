#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pull.hpp"
#include "rules.hpp"
#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {

/// The adjoint bound of all elements of one node for one entry: sum over nodes and elements of
/// (|g| + R) local, where g is the exact gradient of the element with respect to what the node
/// computes and R its radius over the boxes of all values. Ops of derivative networks other than
/// products and sums, and products of two computed values, count as known up to their own radius.
class Adjoint {
 public:
  Adjoint();

  /// False where it does not apply: an entry with values that are not finite. `entry` is one of
  /// the node's own.
  /// `cuts`: of each node, whether the sweep stops there, as it does at softmax and norms; or
  /// empty.
  bool run(const Network& network, std::span<const Value> values, NodeId top, std::size_t entry,
           std::span<const std::uint8_t> cuts = {});

  /// The same with squares: sum of g^2 times the nodes' own variances, or their whole ones where
  /// the sweep is cut, g at the reference alone. `together`: where it is cut, all elements may err
  /// alike, and as what bypasses the cut does: deviations add there.
  bool run_typical(const Network& network, std::span<const Value> values, NodeId top,
                   std::size_t entry, const Variances& variances,
                   std::span<const std::uint8_t> cuts = {}, bool together = false);

  /// One a element of the node.
  std::span<const double> bounds() const { return bounds_; }

 private:
  bool sweep(NodeId top, std::size_t entry);
  bool wanted(NodeId id) const;
  bool finite(NodeId id) const;
  bool is_cut(NodeId id) const;
  Gradient& gradient_of(NodeId id);
  bool step(NodeId id);
  void follow(NodeId id, const Gradient& g);
  void product(NodeId to, const Gradient& g, const Node& node);
  void matmul(const Node& node, const Gradient& g);
  void elementwise(NodeId to, const Gradient& g, const Factors& factors);
  Factors factors_of(NodeId id) const;
  void activation(const Node& node, const Gradient& g);
  void concat(const Node& node, const Gradient& g);
  const double* value_of(NodeId id) const;
  const double* error_of(NodeId id) const;
  std::size_t offset(NodeId id) const;

  const Network* network_ = nullptr;
  std::span<const Value> values_;
  std::span<const std::uint8_t> cuts_;
  const Variances* variances_ = nullptr;  ///< of a typical run
  std::size_t entry_ = 0, row_ = 0;       ///< of a repeated node, of a node for each batch row
  std::size_t elements_ = 0;
  Context context_;
  Value z_, slope_;
  std::vector<std::size_t> index_;
  std::vector<double> transposed_;
  std::vector<Gradient> gradients_;
  bool together_ = false;
  std::vector<double> bounds_, deviations_;
};

}  // namespace ulpfuzz::bounds
