#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ulpfuzz::generators {

/// Random words in bulk: Random123's Philox4x32-10 under `key`, `lanes` counters side by side, so
/// that a compiler can use vectors. Word j of counter (n, 0, 0, 0) is at position (n / lanes) * 4 *
/// lanes + j * lanes + n % lanes. The same on every machine.
class Words {
 public:
  static constexpr std::size_t lanes = 32;
  static constexpr std::size_t capacity = 4 * lanes;

  explicit Words(std::uint64_t key) : key_(key) {}

  /// At least one and at most `most` of the next words; valid until the next call. `most` > 0.
  std::span<const std::uint32_t> take(std::size_t most);
  std::uint32_t next() { return take(1).front(); }

 private:
  void refill();

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  std::size_t used_ = capacity;
  alignas(64) std::array<std::uint32_t, capacity> buffer_;
};

}  // namespace ulpfuzz::generators
