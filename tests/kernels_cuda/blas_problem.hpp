#pragma once

#include <random>
#include <string>
#include <vector>

#include "ulpfuzz/kernels/blas.hpp"
#include "ulpfuzz/kernels/device.hpp"

/// Products for a BLAS on a device, judged by naive sums in fp64.
namespace ulpfuzz::kernels::testing_support {

/// The sizes of a product; leading dimensions are larger than they need to be by `slack`, and so
/// are the strides from entry to entry.
struct BlasShape {
  std::size_t m = 1, n = 1, k = 1, entries = 1, slack = 0;
};

/// A product with its operands on the host.
struct BlasProblem {
  BlasProblem(const BlasShape& shape, BlasGemm settings, std::mt19937& random);

  /// Runs `compute(call)` with the operands on the device; c afterwards, padding included.
  template <class Compute>
  std::vector<float> on(Device& device, const Compute& compute) const {
    BlasGemm moved = call;
    float* const memory =
        static_cast<float*>(device.allocate((a.size() + b.size() + c.size() + 96) * sizeof(float)));
    float* const to_b = memory + (a.size() + 31) / 32 * 32;
    float* const to_c = to_b + (b.size() + 31) / 32 * 32;
    moved.a = memory, moved.b = to_b, moved.c = to_c;
    std::vector<float> result(c.size());
    device.upload(memory, a.data(), a.size() * sizeof(float));
    device.upload(to_b, b.data(), b.size() * sizeof(float));
    device.upload(to_c, c.data(), c.size() * sizeof(float));
    compute(moved);
    device.download(result.data(), to_c, c.size() * sizeof(float));
    device.synchronize();
    device.release(memory);
    return result;
  }

  /// Largest |result - exact| / (sum |a b| + |beta c|) of all elements, in u = 2^-24; infinite
  /// where the padding has changed or a NaN stands.
  double error(const std::vector<float>& result) const;
  std::string name() const;

  BlasGemm call;  ///< pointers null
  std::vector<float> a, b, c;

 private:
  void add_up();
  std::vector<double> exact_, size_;  ///< of each element of c
};

/// The bound of BlasProblem::error, whatever the order of sums: of k products in fp32, with
/// operands cut to TF32 where the mode says so, and beta c.
double error_bound(const BlasGemm& call);

}  // namespace ulpfuzz::kernels::testing_support
