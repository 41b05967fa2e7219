#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::properties {

/// Input buffers of some rows of a case, in the order given. Keeps its memory.
class Gather {
 public:
  /// The network's own inputs; one row alone, and all rows in order, are not copied.
  std::span<const float* const> rows(const Case& c, std::span<const std::uint32_t> rows,
                                     std::uint32_t padding = 0);

  std::span<const float* const> whole(const Case& c);

  /// A batch row and an output column.
  struct Entry {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };
  /// Inputs of the loop network (vjp with repeat 1): each entry's row, and e_column as cotangent.
  std::span<const float* const> entries(const Case& c, std::span<const Entry> entries);
  /// Inputs of the reverse network (repeat = output width): each row, and all unit cotangents.
  std::span<const float* const> unit_cotangents(const Case& c, std::span<const std::uint32_t> rows);
  /// Inputs of the summed network: rows, and the case's cotangents of these rows.
  std::span<const float* const> with_cotangents(const Case& c, std::span<const std::uint32_t> rows);

 private:
  float* buffer(std::size_t index, std::size_t size);

  std::vector<std::vector<float>> buffers_;
  std::vector<const float*> pointers_;
};

/// A number that depends on the case's sizes and a few of its values: chooses probes.
std::uint64_t fingerprint(const Case& c);

}  // namespace ulpfuzz::properties
