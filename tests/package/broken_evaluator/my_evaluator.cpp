#include "my_evaluator.hpp"

namespace mine {

// Planted fault: row 1 and later ones of a batch lose the last product of their sum.
void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      float sum = bias != nullptr ? bias[c] : 0;
      for (std::size_t i = 0; i + (r == 0 ? 0 : 1) < k; ++i) sum += x[r * k + i] * w[c * k + i];
      y[r * n + c] = sum;
    }
}

}  // namespace mine
