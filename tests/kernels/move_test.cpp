#include <algorithm>
#include <stdexcept>

#include "row_runs.hpp"

namespace ulpfuzz::kernels {
namespace {

Floats numbered(std::size_t count) {
  Floats x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i + 1);
  return x;
}

std::string shape(std::size_t entries, std::size_t rows, std::size_t columns) {
  return std::to_string(entries) + " of " + std::to_string(rows) + " x " + std::to_string(columns);
}

constexpr std::size_t widths[] = {0, 1, 3, 8, 9, 33, 127, 128, 129, 600, 1100};

TEST(Move, PutsOperandsSideBySide) {
  for (const std::size_t entries : {0, 1, 5})
    for (const std::size_t rows : {0, 1, 3})
      for (const std::size_t left : widths)
        for (const std::size_t right : {0, 2, 200}) {
          const Floats a = numbered(entries * rows * left), b = numbered(entries * rows * right);
          const std::size_t columns = left + right;
          Floats y(entries * rows * columns, -1), expected;
          for (std::size_t r = 0; r < entries * rows; ++r) {
            for (std::size_t j = 0; j < left; ++j) expected.push_back(a[r * left + j]);
            for (std::size_t j = 0; j < right; ++j) expected.push_back(b[r * right + j]);
          }
          Move move{.x = a.data(),
                    .x_entry = rows * left,
                    .x_rows = std::max<std::size_t>(rows, 1),
                    .x_columns = left,
                    .width = left,
                    .entries = entries,
                    .rows = rows,
                    .columns = columns,
                    .y = nullptr};
          y = on_host(move, y);
          for (std::size_t r = 0; r < entries * rows; ++r)
            for (std::size_t j = left; j < columns; ++j) ASSERT_EQ(y[r * columns + j], -1);
          move.x = b.data();
          move.x_entry = rows * right;
          move.x_columns = move.width = right;
          move.start = left;
          expect_result(move, y, expected, shape(entries, rows, columns));
        }
}

TEST(Move, TakesColumns) {
  for (const std::size_t width : widths) {
    const std::size_t rows = 7, x_columns = width + 5;
    const Floats x = numbered(rows * x_columns);
    Floats expected;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < width; ++j) expected.push_back(x[r * x_columns + 4 + j]);
    const Move move{.x = x.data(),
                    .x_rows = rows,
                    .x_columns = x_columns,
                    .x_start = 4,
                    .width = width,
                    .entries = 1,
                    .rows = rows,
                    .columns = width,
                    .y = nullptr};
    expect_result(move, expected, shape(1, rows, width));
  }
}

// Operands that several entries share, and single rows that all rows share.
TEST(Move, SpreadsOperandsOut) {
  for (const std::size_t columns : widths)
    for (const std::size_t repeat : {1, 3})
      for (const std::size_t x_rows : {1, 4})
        for (const bool shared : {false, true}) {
          const std::size_t batch = 2, rows = 4, x_entry = shared ? 0 : x_rows * columns;
          const Floats x = numbered(batch * x_rows * columns);
          Floats expected;
          for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t t = 0; t < repeat; ++t)
              for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t j = 0; j < columns; ++j)
                  expected.push_back(x[b * x_entry + (x_rows == 1 ? 0 : r) * columns + j]);
          const Move move{.x = x.data(),
                          .x_entry = x_entry,
                          .repeat = repeat,
                          .x_rows = x_rows,
                          .x_columns = columns,
                          .width = columns,
                          .entries = batch * repeat,
                          .rows = rows,
                          .columns = columns,
                          .y = nullptr};
          expect_result(move, expected, shape(batch * repeat, rows, columns));
        }
}

// Ones at every repeat-th element of repeated entry t, from t on.
TEST(Move, WritesBases) {
  for (const std::size_t rows : {0, 1, 3})
    for (const std::size_t columns : widths)
      for (const std::size_t repeat : {1, 2, 5, 700}) {
        const std::size_t batch = repeat > 5 ? 1 : 2, size = rows * columns;
        if (batch * repeat * size > 100000) continue;
        Floats expected(batch * repeat * size, 0.0f);
        float* y = expected.data();
        for (std::size_t b = 0; b < batch; ++b)
          for (std::size_t t = 0; t < repeat; ++t, y += size)
            for (std::size_t i = t; i < size; i += repeat) y[i] = 1;
        const Move move{.kind = Move::Kind::basis,
                        .period = repeat,
                        .entries = batch * repeat,
                        .rows = rows,
                        .columns = columns,
                        .y = nullptr};
        expect_result(move, expected, shape(batch * repeat, rows, columns));
      }
}

// Repeated entry i k + j of a batch row has h[:,j] in column i.
TEST(Move, WritesUnitTangents) {
  for (const std::size_t rows : {0, 1, 3})
    for (const std::size_t columns : {0, 1, 4, 9, 40, 130})
      for (const std::size_t k : {1, 2, 5})
        for (const bool shared : {false, true}) {
          const std::size_t batch = 2, entries = batch * columns * k;
          const Floats h = numbered(batch * rows * k);
          const std::size_t x_entry = shared ? 0 : rows * k;
          Floats expected(entries * rows * columns, 0.0f);
          float* y = expected.data();
          for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t i = 0; i < columns; ++i)
              for (std::size_t j = 0; j < k; ++j, y += rows * columns)
                for (std::size_t r = 0; r < rows; ++r)
                  y[r * columns + i] = h[b * x_entry + r * k + j];
          const Move move{.kind = Move::Kind::unit_tangents,
                          .x = h.data(),
                          .x_entry = x_entry,
                          .x_rows = std::max<std::size_t>(rows, 1),
                          .x_columns = k,
                          .width = k,
                          .entries = entries,
                          .rows = rows,
                          .columns = columns,
                          .y = nullptr};
          expect_result(move, expected, shape(entries, rows, columns));
        }
}

TEST(Move, RefusesToDivideByZero) {
  const auto device = make_host_device();
  EXPECT_NO_THROW(device->launch(Move{}, nullptr));
  EXPECT_THROW(device->launch(Move{.repeat = 0}, nullptr), std::invalid_argument);
  EXPECT_THROW(device->launch(Move{.x_rows = 0}, nullptr), std::invalid_argument);
  EXPECT_THROW(device->launch(Move{.period = 0}, nullptr), std::invalid_argument);
}

TEST(Move, KeepsAllBits) {
  const Floats x = {__builtin_bit_cast(float, 0x7f812345u), -0.0f,
                    __builtin_bit_cast(float, 0xffc00001u), 0x1p-149f};
  const Floats y = on_host(Move{.x = x.data(),
                                .x_columns = x.size(),
                                .width = x.size(),
                                .entries = 1,
                                .rows = 1,
                                .columns = x.size(),
                                .y = nullptr},
                           Floats(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits_of(y[i]), bits_of(x[i]));
}

}  // namespace
}  // namespace ulpfuzz::kernels
