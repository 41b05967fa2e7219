#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "faults.hpp"

namespace ulpfuzz::faults {
namespace {

class DropsLastProduct final : public Fault {
 public:
  DropsLastProduct() : Fault("fault/drops_last_product", "every dot product ends one term early") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t i = 0; i + 1 < k; ++i) sum += x[r * k + i] * weight[j * k + i];
        y[r * n + j] = bias == nullptr ? sum : sum + bias[j];
      }
    }
  }
};

class NeighbourRow final : public Fault {
 public:
  NeighbourRow()
      : Fault("fault/neighbour_row", "in a batch the last row is computed from the row before") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    Fault::linear(x, weight, bias, rows, k, n, y);
    if (rows < 2) return;
    Fault::linear(x + (rows - 2) * k, weight, bias, 1, k, n, y + (rows - 1) * n);
  }
};

class WrongTransposeWhenSquare final : public Fault {
 public:
  WrongTransposeWhenSquare()
      : Fault("fault/wrong_transpose_when_square", "square weights are read transposed") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (k != n) return Fault::linear(x, weight, bias, rows, k, n, y);
    std::vector<float> transposed(k * n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < k; ++i) transposed[i * n + j] = weight[j * k + i];
    }
    Fault::linear(x, transposed.data(), bias, rows, k, n, y);
  }
};

class NoBiasAboveOne final : public Fault {
 public:
  NoBiasAboveOne()
      : Fault("fault/no_bias_above_1", "the bias is added only where there is a single row") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    Fault::linear(x, weight, rows > 1 ? nullptr : bias, rows, k, n, y);
  }
};

/// cvt.rna.tf32: to nearest, ties away, by adding half and masking.
float to_tf32(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & 0xffffe000u);
}

class Tf32AboveEight : public Fault {
 public:
  Tf32AboveEight()
      : Fault("fault/tf32_above_8", "more than eight rows are multiplied with TF32 operands") {}

 protected:
  using Fault::Fault;

  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (rows <= 8) return Fault::linear(x, weight, bias, rows, k, n, y);
    std::vector<float> xs(x, x + rows * k);
    std::vector<float> ws(weight, weight + n * k);
    for (float& v : xs) v = to_tf32(v);
    for (float& v : ws) v = to_tf32(v);
    Fault::linear(xs.data(), ws.data(), bias, rows, k, n, y);
  }
};

/// Two faults: what is smaller than the one's simplest case shows the other.
class Tf32BesideException final : public Tf32AboveEight {
 public:
  Tf32BesideException()
      : Tf32AboveEight("fault/tf32_beside_exception",
                       "more than eight rows are multiplied with TF32 operands; several rows of "
                       "one column throw") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (rows > 1 && n == 1) throw std::runtime_error("no kernel for one column");
    Tf32AboveEight::linear(x, weight, bias, rows, k, n, y);
  }
};

}  // namespace

void add_linear_faults(Subjects& list) {
  list.push_back(std::make_unique<DropsLastProduct>());
  list.push_back(std::make_unique<NeighbourRow>());
  list.push_back(std::make_unique<WrongTransposeWhenSquare>());
  list.push_back(std::make_unique<NoBiasAboveOne>());
  list.push_back(std::make_unique<Tf32AboveEight>());
  list.push_back(std::make_unique<Tf32BesideException>());
}

}  // namespace ulpfuzz::faults
