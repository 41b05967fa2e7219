#include "plain.hpp"

#include <algorithm>
#include <cstring>

#include "aligned_buffer.hpp"
#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/dense.hpp"

namespace ulpfuzz::plain {
namespace {

typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::size_t lanes = 8;

// A strided left operand times a dense row-major right one: y[i,j] = sum over p of
// a[i a_row + p a_col] b[p ldb + j], then + bias[j].
struct Product {
  std::size_t m, k, n;
  const float* a;
  std::size_t a_row, a_col;
  const float* b;
  std::size_t ldb;
  const float* bias;
  float* y;
  std::size_t ldy;
};

// Rows [i, i + Rows), columns [j, j + Vectors * 8).
template <std::size_t Rows, std::size_t Vectors>
[[gnu::always_inline]] inline void tile(const Product& t, std::size_t i, std::size_t j) {
  Lanes sum[Rows][Vectors] = {};
  const float* a = t.a + i * t.a_row;
  const float* b = t.b + j;
  for (std::size_t p = 0; p < t.k; ++p, a += t.a_col, b += t.ldb)
    for (std::size_t v = 0; v < Vectors; ++v) {
      const Lanes right = *reinterpret_cast<const Lanes*>(b + v * lanes);
      for (std::size_t r = 0; r < Rows; ++r) sum[r][v] += a[r * t.a_row] * right;
    }
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t v = 0; v < Vectors; ++v) {
      const std::size_t column = j + v * lanes;
      if (t.bias != nullptr) sum[r][v] += *reinterpret_cast<const Lanes*>(t.bias + column);
      *reinterpret_cast<Lanes*>(t.y + (i + r) * t.ldy + column) = sum[r][v];
    }
}

// Columns that do not fill a vector: the same order, one element at a time.
template <std::size_t Rows>
[[gnu::always_inline]] inline void column(const Product& t, std::size_t i, std::size_t j) {
  float sum[Rows] = {};
  const float* a = t.a + i * t.a_row;
  for (std::size_t p = 0; p < t.k; ++p, a += t.a_col) {
    const float right = t.b[p * t.ldb + j];
    for (std::size_t r = 0; r < Rows; ++r) sum[r] += a[r * t.a_row] * right;
  }
  for (std::size_t r = 0; r < Rows; ++r)
    t.y[(i + r) * t.ldy + j] = t.bias == nullptr ? sum[r] : sum[r] + t.bias[j];
}

template <std::size_t Rows>
[[gnu::always_inline]] inline void rows(const Product& t, std::size_t i) {
  std::size_t j = 0;
  for (; j + 2 * lanes <= t.n; j += 2 * lanes) tile<Rows, 2>(t, i, j);
  if (j + lanes <= t.n) {
    tile<Rows, 1>(t, i, j);
    j += lanes;
  }
  for (; j < t.n; ++j) column<Rows>(t, i, j);
}

ULPFUZZ_CLONES void multiply(const Product& t) {
  std::size_t i = 0;
  for (; i + 4 <= t.m; i += 4) rows<4>(t, i);
  for (; i < t.m; ++i) rows<1>(t, i);
}

// y[i,j] = +0 + a[i] b[j]
ULPFUZZ_CLONES void outer(const Product& t) {
  for (std::size_t i = 0; i < t.m; ++i) {
    const float left = t.a[i * t.a_row];
    float* y = t.y + i * t.ldy;
    for (std::size_t j = 0; j < t.n; ++j) y[j] = 0.0f + left * t.b[j];
  }
}

// Columns of eight rows of w, turned in registers: column[p] holds w[0..7][p], p < 8.
[[gnu::always_inline]] inline void turn(const float* w, std::size_t ldw, Lanes column[lanes]) {
  Lanes a[lanes], b[lanes];
  for (std::size_t r = 0; r < lanes; ++r) a[r] = *reinterpret_cast<const Lanes*>(w + r * ldw);
  for (std::size_t r = 0; r < lanes; r += 2) {
    b[r] = __builtin_shufflevector(a[r], a[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[r + 1] = __builtin_shufflevector(a[r], a[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (std::size_t r = 0; r < lanes; r += 4)
    for (std::size_t h = 0; h < 2; ++h) {
      a[r + 2 * h] = __builtin_shufflevector(b[r + h], b[r + h + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[r + 2 * h + 1] =
          __builtin_shufflevector(b[r + h], b[r + h + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (std::size_t p = 0; p < 4; ++p) {
    column[p] = __builtin_shufflevector(a[p], a[p + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    column[p + 4] = __builtin_shufflevector(a[p], a[p + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// sum[c] += x . w[c,:] for eight rows c of w side by side, each from left to right.
[[gnu::always_inline]] inline void eight_dots(const Product& t, const float* x, const float* w,
                                              Lanes& sum) {
  std::size_t p = 0;
  for (; p + lanes <= t.k; p += lanes) {
    Lanes column[lanes];
    turn(w + p, t.ldb, column);
    for (std::size_t q = 0; q < lanes; ++q) sum += x[(p + q) * t.a_col] * column[q];
  }
  for (; p < t.k; ++p) {
    Lanes column;
    for (std::size_t c = 0; c < lanes; ++c) column[c] = w[c * t.ldb + p];
    sum += x[p * t.a_col] * column;
  }
}

// y[i,j] = x[i,:] . w[j,:] + bias[j] for few rows: w as it lies.
ULPFUZZ_CLONES void rows_times_rows(const Product& t) {
  for (std::size_t i = 0; i < t.m; ++i) {
    const float* x = t.a + i * t.a_row;
    float* y = t.y + i * t.ldy;
    std::size_t j = 0;
    for (; j + lanes <= t.n; j += lanes) {
      Lanes sum = {};
      eight_dots(t, x, t.b + j * t.ldb, sum);
      if (t.bias != nullptr) sum += *reinterpret_cast<const Lanes*>(t.bias + j);
      *reinterpret_cast<Lanes*>(y + j) = sum;
    }
    for (; j < t.n; ++j) {
      const float product = kernels::dot(x, t.a_col, t.b + j * t.ldb, 1, t.k);
      y[j] = t.bias == nullptr ? product : product + t.bias[j];
    }
  }
}

const float* transposed(const float* w, std::size_t rows, std::size_t cols) {
  thread_local AlignedBuffer<float> memory;
  float* to = memory.reserve(rows * cols);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) to[c * rows + r] = w[r * cols + c];
  return to;
}

// The right operand transposed: b[n,k]. Worth turning round only for several rows.
void multiply_transposed(Product t) {
  constexpr std::size_t few_rows = 4;
  if (t.m < few_rows) return rows_times_rows(t);
  t.b = transposed(t.b, t.n, t.k);
  t.ldb = t.n;
  multiply(t);
}

}  // namespace

void linear(const float* x, const float* weight, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y) {
  multiply_transposed({rows, k, n, x, k, 1, weight, k, bias, y, n});
}

void matmul(const MatmulCall& call, const float* a, const float* b, float* y) {
  Product t{.m = call.m,
            .k = call.k,
            .n = call.n,
            .a = a,
            .a_row = call.transpose_a ? 1 : call.k,
            .a_col = call.transpose_a ? call.m : 1,
            .b = b,
            .ldb = call.transpose_b ? call.k : call.n,
            .bias = nullptr,
            .y = y,
            .ldy = call.n};
  std::size_t entries = call.entries;
  const bool rows_follow = !call.transpose_a && call.a_repeat == 1 && call.a_stride != 0;
  if (call.b_stride == 0 && rows_follow) {
    t.m *= entries;
    entries = 1;
  }
  for (std::size_t e = 0; e < entries; ++e, t.y += call.m * call.n) {
    t.a = a + e / call.a_repeat * call.a_stride;
    t.b = b + e / call.b_repeat * call.b_stride;
    if (t.k == 1)
      outer(t);
    else if (call.transpose_b)
      multiply_transposed(t);
    else
      multiply(t);
  }
}

void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
               float* y) {
  multiply({n, rows, k, a, 1, n, b, k, nullptr, y, k});
}

ULPFUZZ_CLONES void sum(const float* x, std::size_t rows, std::size_t n, float* y) {
  std::fill_n(y, n, 0.0f);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < n; ++j) y[j] += x[r * n + j];
}

}  // namespace ulpfuzz::plain
