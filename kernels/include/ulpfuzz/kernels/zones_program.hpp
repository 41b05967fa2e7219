#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/element_launches.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// A zone a thread.
struct ZonesProgram {
  static constexpr unsigned threads = warp;
  struct Shared {};
  CheckZones check;

  std::size_t blocks() const { return (check.zones + threads - 1) / threads; }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    block.each([&](unsigned t) {
      const std::size_t z = block.index() * threads + t;
      if (z < check.zones) check.first[z] = first_changed(check.base + check.starts[z]);
    });
  }

 private:
  ULPFUZZ_HOST_DEVICE std::uint32_t first_changed(const float* zone) const {
    std::uint32_t changed = 0;  // nearly always 0
    for (std::uint32_t i = 0; i < check.zone; ++i) changed |= difference(zone[i]);
    if (changed == 0) return check.zone;
    std::uint32_t i = 0;
    while (difference(zone[i]) == 0) ++i;
    return i;
  }
  ULPFUZZ_HOST_DEVICE std::uint32_t difference(float x) const {
    return __builtin_bit_cast(std::uint32_t, x) ^ check.bits;
  }
};

}  // namespace ulpfuzz::kernels
