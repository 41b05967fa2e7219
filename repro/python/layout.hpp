#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::repro {

/// How Python holds the values of a network, and what it calls them. Values of the batch are
/// [batch, n], or [batch, m, n] in a network that has matrices; parameters [rows, cols], or [cols]
/// where that is what every use of one asks for.
struct PythonLayout {
  bool matrices = false;
  std::vector<std::string> inputs;
  std::vector<std::string> parameters;
  std::vector<bool> is_vector;  ///< parameter [1, n] held as [n]

  /// Dimensions of what one batch row holds.
  std::vector<std::size_t> row_dims(Shape shape) const;
  std::vector<std::size_t> parameter_dims(Shape shape, std::size_t index) const;
};

PythonLayout python_layout(const Network& network);

/// "3, 1": the index of an element in an array of these dimensions, row-major.
std::string python_index(std::size_t element, const std::vector<std::size_t>& dims);

}  // namespace ulpfuzz::repro
