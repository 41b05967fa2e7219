#include "support/stand_in_extents.hpp"

namespace ulpfuzz::stand_in {
namespace {

using kernels::Map;
using kernels::Move;
using kernels::Product;
using Ranges = std::vector<Range>;

Range floats(const void* at, std::size_t count) { return {at, count * sizeof(float)}; }

// Of an operand [entries / repeat, rows, columns] with these strides.
Range strided(const void* at, std::size_t entries, std::size_t entry, std::size_t repeat,
              std::size_t rows, std::size_t row, std::size_t columns, std::size_t column) {
  if (entries == 0 || rows == 0 || columns == 0) return {};
  return floats(at, (entries - 1) / repeat * entry + (rows - 1) * row + (columns - 1) * column + 1);
}

Ranges of(const Product& p) {
  const bool empty = p.m * p.n == 0;
  return {
      strided(p.a, empty ? 0 : p.entries, p.a_entry, p.a_repeat, p.m, p.a_row, p.k, p.a_step),
      strided(p.b, empty ? 0 : p.entries, p.b_entry, p.b_repeat, p.k, p.b_step, p.n, p.b_column),
      floats(p.bias, p.bias == nullptr || p.entries * p.m == 0 ? 0 : p.n),
      floats(p.y, p.entries * p.m * p.n)};
}

Ranges of(const kernels::Gemm& g) { return of(g.product); }
Ranges of(const kernels::Gemv& g) { return of(g.product); }
Ranges of(const kernels::UnitGemm& g) { return of(g.product); }
Ranges of(const kernels::Softmax& s) {
  return {floats(s.x, s.rows * s.n), floats(s.y, s.rows * s.n)};
}
Ranges of(const kernels::Norm& s) { return {floats(s.x, s.rows * s.n), floats(s.y, s.rows * s.n)}; }
Ranges of(const kernels::RowGradient& s) {
  const std::size_t count = s.rows * s.n;
  return {floats(s.v, count), floats(s.x, count), floats(s.y, count)};
}
Ranges of(const kernels::ColumnSum& s) {
  return {floats(s.x, s.entries * s.rows * s.n), floats(s.y, s.entries * s.n)};
}
Ranges of(const Map& m) {
  Ranges ranges = {floats(m.y, m.count)};
  if (m.kind != Map::Kind::fill) ranges.push_back(floats(m.x, m.count));
  if (m.kind == Map::Kind::add || m.kind == Map::Kind::multiply)
    ranges.push_back(floats(m.z, m.count));
  return ranges;
}
Ranges of(const Move& m) {
  Ranges ranges = {floats(m.y, m.entries * m.rows * m.columns)};
  if (m.kind == Move::Kind::columns && m.entries * m.rows * m.width != 0) {
    const std::size_t rows = m.rows < m.x_rows ? m.rows : m.x_rows;
    ranges.push_back(
        strided(m.x + m.x_start, m.entries, m.x_entry, m.repeat, rows, m.x_columns, m.width, 1));
  }
  if (m.kind == Move::Kind::unit_tangents && m.width * m.columns != 0) {
    const std::size_t period = m.width * m.columns;
    ranges.push_back(strided(m.x, m.entries, m.x_entry, period, m.x_rows, m.x_columns, m.width, 1));
  }
  return ranges;
}
Ranges of(const kernels::CheckZones& c) {
  return {{c.starts, c.zones * sizeof(*c.starts)}, {c.first, c.zones * sizeof(*c.first)}};
}
Ranges of(const kernels::Pack& p) {
  const std::size_t bytes = p.to == Format::fp32 ? 4 : 2;
  return {strided(p.x, p.entries, p.x_entry, p.repeat, p.rows, p.x_row, p.columns, p.x_column),
          {p.y, p.entries * p.rows * p.columns * bytes}};
}

}  // namespace

std::vector<Range> extents(const kernels::Launch& launch) {
  return std::visit([](const auto& l) { return of(l); }, launch);
}

}  // namespace ulpfuzz::stand_in
