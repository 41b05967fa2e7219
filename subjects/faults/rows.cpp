#include <algorithm>
#include <bit>

#include "faults.hpp"

namespace ulpfuzz::faults {
namespace {

/// Each row of a linear layer is computed from a row that may not be its own.
class OtherRow : public Fault {
 public:
  using Which = std::size_t (*)(std::size_t row, std::size_t rows);
  OtherRow(std::string_view name, std::string_view description, Which which)
      : Fault(name, description), which_(which) {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    for (std::size_t r = 0; r < rows; ++r)
      Fault::linear(x + which_(r, rows) * k, weight, bias, 1, k, n, y + r * n);
  }

 private:
  Which which_;
};

class WrongStrideAboveOne final : public Fault {
 public:
  WrongStrideAboveOne()
      : Fault("fault/wrong_stride_above_1",
              "of several rows each is taken to be one element shorter than it is") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    const std::size_t stride = rows > 1 && k > 0 ? k - 1 : k;
    for (std::size_t r = 0; r < rows; ++r)
      Fault::linear(x + r * stride, weight, bias, 1, k, n, y + r * n);
  }
};

/// The workspace of the partial sum of products beyond the eighth is cleared once a call.
class StalePartialSum final : public Fault {
 public:
  StalePartialSum()
      : Fault("fault/stale_partial_sum",
              "the partial sum of products beyond the eighth is not cleared between rows") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    constexpr std::size_t part = 8;
    if (k <= part) return Fault::linear(x, weight, bias, rows, k, n, y);
    std::vector<float> workspace(n);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t i = 0; i < part; ++i) sum += x[r * k + i] * weight[j * k + i];
        for (std::size_t i = part; i < k; ++i) workspace[j] += x[r * k + i] * weight[j * k + i];
        sum += workspace[j];
        y[r * n + j] = bias == nullptr ? sum : sum + bias[j];
      }
    }
  }
};

/// A grid of sixteen blocks, one a row, whatever the batch.
void forget_rows_beyond_grid(const Evaluation& e) {
  constexpr std::size_t grid = 16;
  const Node& node = e.network.node(e.network.outputs()[0]);
  const std::size_t end = e.network.entries(node, e.batch) * node.shape.size();
  for (std::size_t i = grid * node.shape.size(); i < end; ++i)
    e.outputs[0][i] = std::bit_cast<float>(unwritten_bits);
}

}  // namespace

void add_row_faults(Subjects& list) {
  list.push_back(std::make_unique<WrongStrideAboveOne>());
  list.push_back(std::make_unique<OtherRow>(
      "fault/late_blocks", "of blocks of four rows all but the first begin one row late",
      [](std::size_t r, std::size_t rows) { return r < 4 ? r : std::min(r + 1, rows - 1); }));
  list.push_back(std::make_unique<OtherRow>("fault/row_mod_16",
                                            "row b gets the result of row b mod 16",
                                            [](std::size_t r, std::size_t) { return r % 16; }));
  list.push_back(std::make_unique<StalePartialSum>());
  list.push_back(std::make_unique<Aftermath>(
      "fault/forgets_rows_beyond_16", "does not write rows beyond the sixteenth",
      [](const Evaluation&) {}, forget_rows_beyond_grid));
}

}  // namespace ulpfuzz::faults
