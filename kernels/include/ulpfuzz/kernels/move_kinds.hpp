#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/element_launches.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

/// What the programs of Move write in each row.
namespace ulpfuzz::kernels {

/// y[e][r][start + j] = x[e / repeat][r mod x_rows][x_start + j]
struct ColumnsMove {
  Move move;
  struct Row {
    const float* from;
    float* to;
    ULPFUZZ_HOST_DEVICE void operator()(std::size_t j) const { to[j] = from[j]; }
  };

  explicit ColumnsMove(const Move& launch) : move(launch) {}
  std::size_t width() const { return move.width; }
  ULPFUZZ_HOST_DEVICE Row row(std::size_t at) const {
    const std::size_t entry = at / move.rows, row = at - entry * move.rows;
    return {move.x + entry / move.repeat * move.x_entry + row % move.x_rows * move.x_columns +
                move.x_start,
            move.y + at * move.columns + move.start};
  }
};

/// y[e][i] = 1 where i mod period == e mod period, else 0; e's row r begins at i = r columns.
struct BasisMove {
  Move move;
  struct Row {
    std::size_t first, one, period;
    float* to;
    ULPFUZZ_HOST_DEVICE void operator()(std::size_t j) const {
      const std::size_t i = first + j;
      to[j] = (i < period ? i : i % period) == one ? 1.0f : 0.0f;
    }
  };

  explicit BasisMove(const Move& launch) : move(launch) {}
  std::size_t width() const { return move.columns; }
  ULPFUZZ_HOST_DEVICE Row row(std::size_t at) const {
    const std::size_t entry = at / move.rows, row = at - entry * move.rows;
    return {row * move.columns, entry % move.period, move.period, move.y + at * move.columns};
  }
};

/// Entry e = (b, i, k), k < width, i < columns: y[e][r][i] = x[b][r][k], else 0.
struct UnitTangentsMove {
  Move move;
  struct Row {
    std::size_t one;
    float value;
    float* to;
    ULPFUZZ_HOST_DEVICE void operator()(std::size_t j) const { to[j] = j == one ? value : 0.0f; }
  };

  explicit UnitTangentsMove(const Move& launch) : move(launch) {}
  std::size_t width() const { return move.columns; }
  ULPFUZZ_HOST_DEVICE Row row(std::size_t at) const {
    const std::size_t entry = at / move.rows, row = at - entry * move.rows;
    const std::size_t line = entry / move.width, k = entry - line * move.width;
    const std::size_t b = line / move.columns;
    const float* const x =
        move.x + b / move.repeat * move.x_entry + row % move.x_rows * move.x_columns;
    return {line - b * move.columns, x[move.x_start + k], move.y + at * move.columns};
  }
};

/// use(kind) with one of the above.
template <class Use>
void with_move_kind(const Move& move, const Use& use) {
  switch (move.kind) {
    case Move::Kind::columns:
      return use(ColumnsMove(move));
    case Move::Kind::basis:
      return use(BasisMove(move));
    case Move::Kind::unit_tangents:
      return use(UnitTangentsMove(move));
  }
}

}  // namespace ulpfuzz::kernels
