#include <vector>

#include "faults.hpp"
#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::faults {
namespace {

class GradientInFp16 final : public Fault {
 public:
  GradientInFp16()
      : Fault("fault/gradient_in_fp16", "batch-summed weight gradients are added up in fp16") {}

 protected:
  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const override {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0;
        for (std::size_t r = 0; r < rows; ++r)
          sum = round_to(sum + double{a[r * n + i]} * b[r * k + j], Format::fp16);
        y[i * k + j] = static_cast<float>(sum);
      }
    }
  }
};

/// rows (mean of first half + mean of second half) / 2
class MeanOfMeans final : public Fault {
 public:
  MeanOfMeans()
      : Fault("fault/mean_of_means",
              "batch-summed weight gradients come from the plain mean of the means of two halves") {
  }

 protected:
  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const override {
    const std::size_t half = rows / 2;
    if (half == rows - half) return Fault::outer_sum(a, b, rows, n, k, y);
    if (half == 0) return Fault::outer_sum(a, b, rows, n, k, y);
    std::vector<float> second(n * k);
    Fault::outer_sum(a, b, half, n, k, y);
    Fault::outer_sum(a + half * n, b + half * k, rows - half, n, k, second.data());
    const float weight = static_cast<float>(rows) / 2;
    for (std::size_t i = 0; i < n * k; ++i)
      y[i] =
          weight * (y[i] / static_cast<float>(half) + second[i] / static_cast<float>(rows - half));
  }
};

}  // namespace

void add_gradient_faults(Subjects& list) {
  list.push_back(std::make_unique<GradientInFp16>());
  list.push_back(std::make_unique<MeanOfMeans>());
}

}  // namespace ulpfuzz::faults
