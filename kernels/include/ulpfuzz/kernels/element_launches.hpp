#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/kernels/product.hpp"

/// What block programs on elements are launched with. Arrays are dense and row-major; sizes count
/// floats.
namespace ulpfuzz::kernels {

/// y[i] = f(x[i]) or f(x[i], z[i]), i < count; x and z may be y.
struct Map {
  enum class Kind : std::uint8_t { activation, derivative, add, multiply, fill };
  Kind kind = Kind::activation;
  Phi phi = Phi::identity;  ///< of activation and derivative
  float alpha = 0;
  bool fast = false;  ///< fast_exp and fast_tanh for exp and tanh
  const float* x = nullptr;
  const float* z = nullptr;  ///< second operand of add and multiply
  std::uint32_t bits = 0;    ///< of the number that fill writes
  std::size_t count = 0;
  float* y = nullptr;
};

/// Ops that only move elements, y dense [entries, rows, columns], x[e][r][j] at
/// x[e x_entry + r x_columns + j]; y and x may not overlap:
///   columns  y[e][r][start + j] = x[e / repeat][r mod x_rows][x_start + j], j < width; what is
///   left
///            of y stays: concat, pad, slice and operands spread out (x_entry 0: shared)
///   basis    1 at element i of entry e where i mod period == e mod period, else 0
///   unit_tangents  entry e = (b, i, j) = (b columns + i) width + j, j < width, i < columns:
///            y[e][r][i] = x[b / repeat][r mod x_rows][x_start + j], else 0
struct Move {
  enum class Kind : std::uint8_t { columns, basis, unit_tangents };
  Kind kind = Kind::columns;
  const float* x = nullptr;
  std::size_t x_entry = 0, repeat = 1;  ///< floats from entry to entry of x
  std::size_t x_rows = 1, x_columns = 0;
  std::size_t x_start = 0, start = 0, width = 0, period = 1;
  std::size_t entries = 0, rows = 0, columns = 0;
  float* y = nullptr;
};

/// first[z] = the least i < zone with the i-th float of zone z changed, or `zone` if none is. Zone
/// z is the `zone` floats at base + starts[z]; unchanged floats have the bits `bits`.
struct CheckZones {
  const float* base = nullptr;
  const std::uint64_t* starts = nullptr;  ///< on the device
  std::size_t zones = 0;
  std::uint32_t zone = 64;
  std::uint32_t bits = 0;
  std::uint32_t* first = nullptr;
};

/// y[e][i][j] = x[e / repeat * x_entry + i * x_row + j * x_column], rounded to `to` (fp32, or fp16
/// or bf16 to nearest even: two bytes each), dense: operands as a BLAS takes them.
struct Pack {
  const float* x = nullptr;
  std::size_t x_row = 0, x_column = 0, x_entry = 0, repeat = 1;
  std::size_t entries = 1, rows = 0, columns = 0;
  Format to = Format::fp32;
  void* y = nullptr;
};

}  // namespace ulpfuzz::kernels
