#include "words.hpp"

#include <Random123/philox.h>

#include <algorithm>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::generators {
namespace {

using Lanes = std::array<std::uint32_t, Words::lanes>;

ULPFUZZ_CLONES void philox(std::uint64_t key, std::uint64_t first, std::uint32_t* out) {
  Lanes c0, c1, c2{}, c3{};
  for (std::size_t l = 0; l < Words::lanes; ++l) {
    c0[l] = static_cast<std::uint32_t>(first + l);
    c1[l] = static_cast<std::uint32_t>((first + l) >> 32);
  }
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t l = 0; l < Words::lanes; ++l) {
      const std::uint64_t a = std::uint64_t{PHILOX_M4x32_0} * c0[l];
      const std::uint64_t b = std::uint64_t{PHILOX_M4x32_1} * c2[l];
      c0[l] = static_cast<std::uint32_t>(b >> 32) ^ c1[l] ^ k0;
      c1[l] = static_cast<std::uint32_t>(b);
      c2[l] = static_cast<std::uint32_t>(a >> 32) ^ c3[l] ^ k1;
      c3[l] = static_cast<std::uint32_t>(a);
    }
    k0 += PHILOX_W32_0;
    k1 += PHILOX_W32_1;
  }
  std::ranges::copy(c0, out);
  std::ranges::copy(c1, out + Words::lanes);
  std::ranges::copy(c2, out + 2 * Words::lanes);
  std::ranges::copy(c3, out + 3 * Words::lanes);
}

}  // namespace

void Words::refill() {
  philox(key_, counter_, buffer_.data());
  counter_ += lanes;
  used_ = 0;
}

std::span<const std::uint32_t> Words::take(std::size_t most) {
  if (used_ == capacity) refill();
  const std::size_t count = std::min(most, capacity - used_);
  const std::span<const std::uint32_t> words(buffer_.data() + used_, count);
  used_ += count;
  return words;
}

}  // namespace ulpfuzz::generators
