#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ulpfuzz::generators {

/// Where a recipe's choices come from: a seed, RapidCheck, or bytes of a fuzzer. The one definition
/// of what a random case is (recipe.cpp) reads choices from here and so serves all three.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t next() = 0;

  /// Uniform in [0, n); 0 for n = 0.
  std::uint64_t below(std::uint64_t n);
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(unsigned percent);
};

/// Philox4x32-10 keyed by seed, counting from (index, 0): case `index` of a campaign.
class SeedSource final : public Source {
 public:
  SeedSource(std::uint64_t seed, std::uint64_t index);
  std::uint64_t next() override;

 private:
  std::uint64_t seed_, index_, counter_ = 0;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

/// Bytes of a fuzzer, then zeros: every input is a case.
class ByteSource final : public Source {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t next() override;

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ulpfuzz::generators
