#pragma once

#include <cstddef>
#include <vector>

namespace ulpfuzz::kernels::cuda {

/// Page-locked host memory that copies go through: of other host memory a copy from the device
/// waits for it, and so would the queueing of further work.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Null if there is no more of it, or should not be; then copy without.
  void* take(std::size_t bytes);
  /// All that was taken may be taken again.
  void reset() noexcept;
  /// Forgets all memory without freeing it: that of a lost device.
  void abandon() noexcept;

 private:
  static constexpr std::size_t chunk_bytes_ = std::size_t{1} << 20;
  static constexpr std::size_t most_chunks_ = 64;

  std::vector<std::byte*> chunks_;
  std::size_t chunk_ = 0, used_ = 0;  ///< the one in use, and how much of it
};

}  // namespace ulpfuzz::kernels::cuda
