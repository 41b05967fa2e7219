#pragma once

#include <cstddef>
#include <optional>

#include "session.hpp"

namespace ulpfuzz::gpu {

/// A side of a Product: element (i, j) of entry e is data[e / repeat * entry + i * row + j *
/// column].
struct Matrix {
  const float* data;
  std::size_t rows, columns, row, column;
  std::size_t entries, entry, repeat;

  static Matrix left_of(const kernels::Product& p);
  static Matrix right_of(const kernels::Product& p);
  /// All entries read the same one.
  bool shared() const { return entry == 0 || repeat >= entries; }
};

/// A matrix as BLAS takes it: lines of consecutive elements, `ld` from one to the next; the lines
/// are the rows, or the columns if transposed. `entry` counts elements.
struct BlasOperand {
  const void* data;
  std::size_t element = sizeof(float);  ///< bytes
  bool transposed = false;
  std::size_t ld = 1, entry = 0, repeat = 1;

  const void* at(std::size_t e) const {
    return static_cast<const char*>(data) + e / repeat * entry * element;
  }
};

/// As it lies, or nothing where neither rows nor columns are lines (operands that are broadcast
/// along one).
std::optional<BlasOperand> in_place(const Matrix& matrix);
/// Copied into lines of its own, in the order it lies in, each entry once; in fp16 or bf16 rounded
/// to nearest even.
BlasOperand packed(Session& session, const Matrix& matrix, Format format);

}  // namespace ulpfuzz::gpu
