#pragma once

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

namespace ulpfuzz::kernels::cuda {

/// Device memory, kept when it is given back: cudaMalloc and cudaFree wait for the device. Sizes
/// are rounded up to eight classes between powers of two.
class MemoryCache {
 public:
  MemoryCache() = default;
  ~MemoryCache();
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;

  /// Aligned to 256 bytes, never null. Gives all that is kept back to the device before it throws
  /// DeviceError.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;
  /// Forgets all memory without freeing it: that of a lost device.
  void abandon() noexcept;

 private:
  void free_kept() noexcept;

  std::map<std::size_t, std::vector<void*>> kept_;   ///< by class
  std::unordered_map<void*, std::size_t> class_of_;  ///< of all, kept or in use
};

}  // namespace ulpfuzz::kernels::cuda
