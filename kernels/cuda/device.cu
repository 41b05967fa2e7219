#include <stdexcept>

#include "device_array.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz::kernels::cuda {

std::optional<std::string> unavailable() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    cudaGetLastError();  // or the next launch would report it
    return std::string(cudaGetErrorString(status));
  }
  if (devices == 0) return "no CUDA device";
  return std::nullopt;
}

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

DeviceArray::DeviceArray(std::size_t count) : count_(count) {
  if (count_ != 0) check(cudaMalloc(&data_, count_ * sizeof(float)), "cudaMalloc");
}

DeviceArray::DeviceArray(const float* host, std::size_t count) : DeviceArray(count) {
  if (count_ != 0)
    check(cudaMemcpy(data_, host, count_ * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
}

DeviceArray::~DeviceArray() { cudaFree(data_); }

void DeviceArray::copy_to(float* host) const {
  if (count_ != 0)
    check(cudaMemcpy(host, data_, count_ * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace ulpfuzz::kernels::cuda
