#include "device_array.hpp"
#include "ulpfuzz/kernels/cuda/dense.hpp"
#include "ulpfuzz/kernels/dense.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

__global__ void linear_kernel(const float* x, const float* weight, const float* bias,
                              std::size_t rows, std::size_t k, std::size_t n, float* y) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  y[i] = linear_element(x, weight, bias, k, i / n, i % n);
}

}  // namespace

void linear(const float* x, const float* weight, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y) {
  if (rows * n == 0) return;
  DeviceArray device_x(x, rows * k), device_weight(weight, n * k);
  DeviceArray device_bias(bias, bias == nullptr ? 0 : n), device_y(rows * n);
  constexpr std::size_t threads = 256;
  const auto blocks = static_cast<unsigned>((rows * n + threads - 1) / threads);
  linear_kernel<<<blocks, threads>>>(device_x.data(), device_weight.data(), device_bias.data(),
                                     rows, k, n, device_y.data());
  check(cudaGetLastError(), "launch of linear_kernel");
  check(cudaDeviceSynchronize(), "linear_kernel");
  device_y.copy_to(y);
}

}  // namespace ulpfuzz::kernels::cuda
