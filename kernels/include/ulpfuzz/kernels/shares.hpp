#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// `count` things in `shares` contiguous shares, the first ones longer by one where it does not
/// divide.
struct Shares {
  std::size_t count = 0, shares = 1;

  /// Where a share begins; count for share == shares.
  ULPFUZZ_HOST_DEVICE std::size_t begin(std::size_t share) const {
    const std::size_t more = count % shares;
    return share * (count / shares) + (share < more ? share : more);
  }
  /// The share that thing `at` is in, at < count.
  ULPFUZZ_HOST_DEVICE std::size_t owner(std::size_t at) const {
    const std::size_t less = count / shares, more = count % shares;
    const std::size_t in_longer = more * (less + 1);
    return at < in_longer ? at / (less + 1) : more + (at - in_longer) / less;
  }
};

}  // namespace ulpfuzz::kernels
