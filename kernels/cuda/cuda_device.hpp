#pragma once

#include <cuda_runtime_api.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "memory.hpp"
#include "staging.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::kernels::cuda {

/// What make_device makes.
class CudaDevice final : public Device {
 public:
  static constexpr unsigned stream_count = 8;

  CudaDevice();
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string environment() const override;
  int architecture() const override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void fill(float* to, std::uint32_t bits, std::size_t count) override;
  void launch(const Launch& launch, float* workspace) override;
  unsigned streams() const override { return stream_count; }
  void select(unsigned stream) override;
  void fork() override;
  void join() override;
  void synchronize() override;

  bool in_own_process() const noexcept;
  /// Throws DeviceError in a forked child.
  void require_own_process() const;
  cudaStream_t stream() const { return streams_[current_]; }
  unsigned current() const { return current_; }

 private:
  struct Download {
    void* to;
    const void* staged;
    std::size_t bytes;
  };

  void destroy() noexcept;

  pid_t process_;
  std::array<cudaStream_t, stream_count> streams_{};
  std::array<cudaEvent_t, stream_count> events_{};
  unsigned current_ = 0;
  // Streams, as bits: those used since the last `synchronize`, and whose events each one waits for
  // before its next work. A stream that is not used costs nothing.
  unsigned used_ = 1;
  std::array<unsigned, stream_count> awaited_{};
  MemoryCache memory_;
  Staging staging_;
  std::vector<Download> downloads_;  ///< to be copied on when they are done
};

}  // namespace ulpfuzz::kernels::cuda
