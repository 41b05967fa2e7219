#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tightness/trial.hpp"

namespace ulpfuzz::bench {

/// What another careful study printed for the same cell; 0: nothing.
struct Published {
  double sound = 0, probable = 0;
};

struct Cell {
  std::size_t width;
  std::string column;  ///< order or arithmetic
  Tightness measured;
  Published published;

  /// Looser than published, at the two digits that were printed.
  bool worse() const;
};

struct Table {
  std::string name;
  std::vector<Cell> cells;
};

struct Effort {
  std::vector<std::size_t> widths;
  std::uint64_t seed = 1;
  double trials = 1;  ///< times the usual number of networks
  std::function<void(const std::string&)> progress;
};

/// One dot product, zero-mean data (uniform weights, normal values), fp32, by order.
Table dot_table(const Effort& effort);
/// Perceptrons of `depth` layers with relu, outputs: fp32 by order, and converted operands.
Table network_table(const Effort& effort, std::size_t depth);
/// Perceptrons of three layers: every element of the Jacobian with respect to all parameters (sound
/// bound), and the upstream gradients (probabilistic bound).
Table jacobian_table(const Effort& effort);

}  // namespace ulpfuzz::bench
