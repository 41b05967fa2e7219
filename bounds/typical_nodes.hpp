#pragma once

#include <optional>
#include <span>
#include <vector>

#include "node_arithmetic.hpp"
#include "typical_dot.hpp"
#include "value.hpp"

namespace ulpfuzz::bounds {

/// Of each node, element by element: what its own roundings add, and all of it.
struct Variances {
  std::vector<std::vector<double>> local, total;
};

/// One node of the typical pass.
struct TypicalNode {
  const Network& network;
  std::span<const Value> values;
  const NodeArithmetic& arithmetic;
  const Node& node;
  NodeId id;
  bool conditional;
  /// Of each node: the format that its results are in, if narrower than what it computes in.
  std::span<const std::optional<Format>> kept;

  const Value& y() const { return values[id]; }
  const Value& operand(std::size_t i) const { return values[node.args[i]]; }
  /// Where entry e of the result reads operand i.
  std::size_t offset(std::size_t i, std::size_t e) const {
    const EntryMap map = entry_map(operand(i), network.node(node.args[i]), node, network.repeat());
    return map(e) * map.stride;
  }
};

/// Variance of q(x) for x normal around `value`, whose own rounding is part of the reference: what
/// the nearest rounding boundary makes.
double flip_variance(double value, double variance, Format format, Rounding rounding);
/// What one rounding of a result adds if it is subnormal: half a quantum, or all that is flushed.
double underflow(double value, const NodeArithmetic& arithmetic);
/// Share of a normal distribution beyond `distance` deviations.
double tail(double distance);
/// Root mean square slopes of an activation at z that is normal with these variances.
std::vector<double> activation_slopes(const Node& node, const double* z, const double* variance,
                                      std::size_t n);

// Each fills local and total of its node, which are zeros.
void typical_product(const TypicalNode& n, Variances& v);
void typical_sum(const TypicalNode& n, Variances& v);
void typical_move(const TypicalNode& n, Variances& v);
void typical_rows(const TypicalNode& n, Variances& v);
void typical_elements(const TypicalNode& n, Variances& v);

}  // namespace ulpfuzz::bounds
