#pragma once

#include <span>
#include <vector>

#include "adjoint.hpp"
#include "node_arithmetic.hpp"
#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {

/// What the typical pass reads: a network as the walk has left it.
struct TypicalScene {
  const Network& network;
  std::span<const Value> values;
  const NodeArithmetics& arithmetics;
  bool conditional = false;
  std::span<const std::uint8_t> cuts;
};

/// Variances of an evaluation that rounds at random and adds in an order that knows nothing of the
/// data (docs/bounds.md, "Typical"): estimates, not bounds.
class Typical {
 public:
  /// Of every node; what follows is about this scene.
  void run(const TypicalScene& scene);
  /// Standard deviations of a node's elements as an output stores them, [entries, size]: by the
  /// exact Jacobian where forward ops alone compute it, element by element else.
  std::span<const double> deviations(const TypicalScene& scene, NodeId id, const Narrowing& store);

 private:
  void evaluate(const TypicalScene& scene, NodeId id);
  void round_again(const TypicalScene& scene, NodeId id);

  Variances variances_;
  std::vector<std::optional<Format>> kept_;
  std::vector<double> result_;
  Adjoint adjoint_;
};

}  // namespace ulpfuzz::bounds
