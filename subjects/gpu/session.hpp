#pragma once

#include <cstddef>
#include <stdexcept>

#include "ulpfuzz/kernels/blas.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::gpu {

/// What queues the work of one evaluation: a device and memory that lives as long as the work.
class Session {
 public:
  virtual ~Session() = default;
  virtual kernels::Device& device() = 0;
  /// Device memory until the end of the evaluation: poisoned with `unwritten_bits`, with red zones
  /// around that are checked at the end. Aligned to 256 bytes.
  virtual float* scratch(std::size_t floats) = 0;
  /// Device memory whose contents are of no account, which calls queued on one stream share.
  /// Aligned to 256 bytes.
  virtual void* workspace(std::size_t bytes) { return scratch((bytes + 3) / 4); }
  /// The device's BLAS; throws std::logic_error where its source makes none.
  virtual kernels::Blas& blas() { throw std::logic_error("a device source without a BLAS"); }
  /// Queues it with the workspace it asks for.
  void launch(const kernels::Launch& launch) {
    const std::size_t floats = kernels::workspace_floats(launch);
    device().launch(launch, floats == 0 ? nullptr : scratch(floats));
  }
};

}  // namespace ulpfuzz::gpu
