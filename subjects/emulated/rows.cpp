#include <algorithm>

#include "../aligned_buffer.hpp"
#include "functions.hpp"
#include "number.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"
#include "ulpfuzz/kernels/norm.hpp"

namespace ulpfuzz::emulated {
namespace {

template <class T>
struct Row {
  T *v, *x, *y;
};

// Calls kernel(row, n) for each row of v (if any) and x, in numbers of type T.
template <class T, class Kernel>
void each_row(const float* v, const float* x, std::size_t rows, std::size_t n, float* y,
              const Kernel& kernel) {
  thread_local AlignedBuffer<T> memory;
  T* const room = memory.reserve(3 * n);
  const Row<T> row{room, room + n, room + 2 * n};
  const auto widen = [](float e) { return T(e); };
  for (std::size_t r = 0; r < rows; ++r) {
    if (v != nullptr) std::transform(v + r * n, v + (r + 1) * n, row.v, widen);
    std::transform(x + r * n, x + (r + 1) * n, row.x, widen);
    kernel(row);
    std::transform(row.y, row.y + n, y + r * n, [](T e) { return static_cast<float>(e); });
  }
}

template <class T>
void fast_softmax_row(const T* x, std::size_t n, T* y) {
  if (n == 0) return;
  T top = x[0];
  for (std::size_t i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  for (std::size_t i = 0; i < n; ++i)
    y[i] = settled<T>(kernels::fast_exp(static_cast<float>(x[i] - top)));
  const T total = kernels::sum(y, 1, n);
  for (std::size_t i = 0; i < n; ++i) y[i] = y[i] / total;
}

}  // namespace

void softmax(const Functions& f, const float* x, std::size_t rows, std::size_t n, float* y) {
  with_number(f.accumulate, [&]<class T>() {
    each_row<T>(nullptr, x, rows, n, y, [&](const Row<T>& row) {
      f.fast_exp ? fast_softmax_row(row.x, n, row.y) : kernels::softmax_row(row.x, n, row.y);
    });
  });
}

void softmax_grad(Format accumulate, const float* v, const float* s, std::size_t rows,
                  std::size_t n, float* y) {
  with_number(accumulate, [&]<class T>() {
    each_row<T>(v, s, rows, n, y,
                [&](const Row<T>& row) { kernels::softmax_grad_row(row.v, row.x, n, row.y); });
  });
}

void norm(Format accumulate, Op op, const float* v, const float* x, float epsilon, std::size_t rows,
          std::size_t n, float* y) {
  with_number(accumulate, [&]<class T>() {
    each_row<T>(v, x, rows, n, y, [&](const Row<T>& row) {
      if (op == Op::layer_norm) kernels::layer_norm_row(row.x, epsilon, n, row.y);
      if (op == Op::rms_norm) kernels::rms_norm_row(row.x, epsilon, n, row.y);
      if (op == Op::layer_norm_grad) kernels::layer_norm_grad_row(row.v, row.x, epsilon, n, row.y);
      if (op == Op::rms_norm_grad) kernels::rms_norm_grad_row(row.v, row.x, epsilon, n, row.y);
    });
  });
}

}  // namespace ulpfuzz::emulated
