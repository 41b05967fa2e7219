#include "ulpfuzz/generators/source.hpp"

#include <Random123/philox.h>

#include <algorithm>

namespace ulpfuzz::generators {

std::uint64_t Source::below(std::uint64_t n) {
  // The high half of a product, not a remainder: monotone in next(), so that a fuzzer's small
  // change of a byte is a small change of a size.
  return n == 0 ? 0
                : static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
}

std::int64_t Source::between(std::int64_t low, std::int64_t high) {
  if (high <= low) return low;
  return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
}

// Zeros, which an exhausted ByteSource gives, mean "no".
bool Source::chance(unsigned percent) { return below(100) + percent >= 100; }

SeedSource::SeedSource(std::uint64_t seed, std::uint64_t index) : seed_(seed), index_(index) {}

std::uint64_t SeedSource::next() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const philox4x32_ctr_t counter{{low(counter_), high(counter_), low(index_), high(index_)}};
  const philox4x32_key_t key{{low(seed_), high(seed_)}};
  const philox4x32_ctr_t words = philox4x32(counter, key);
  ++counter_;
  spare_ = words[2] | std::uint64_t{words[3]} << 32;
  has_spare_ = true;
  return words[0] | std::uint64_t{words[1]} << 32;
}

std::uint64_t ByteSource::next() {
  // Two bytes a choice, repeated: all that below() needs, and 64 bits for those who want a key.
  std::uint64_t value = 0;
  const std::size_t count = std::min<std::size_t>(2, bytes_.size());
  for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes_[i]} << (8 * (1 - i));
  bytes_ = bytes_.subspan(count);
  return value * 0x0001'0001'0001'0001u;
}

}  // namespace ulpfuzz::generators
