#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace ulpfuzz::kernels::cuda {

/// Throws std::runtime_error "CALL: CUDA's message" unless `status` is success.
void check(cudaError_t status, const char* call);

/// `count` floats on the device, freed at the end of the scope.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count);
  DeviceArray(const float* host, std::size_t count);
  ~DeviceArray();
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() { return data_; }
  void copy_to(float* host) const;

 private:
  float* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ulpfuzz::kernels::cuda
