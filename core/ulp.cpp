#include "ulpfuzz/core/ulp.hpp"

#include <algorithm>

namespace ulpfuzz {
namespace {

constexpr std::int64_t least_normal = std::int64_t{1} << 23;  // ordinal of 2^-126

std::int64_t flushed_ordinal(float x) {
  const std::int64_t o = ordinal(x);
  if (o >= least_normal) return o - least_normal + 1;
  if (o <= -least_normal) return o + least_normal - 1;
  return 0;
}

}  // namespace

double ulp(double r, Format format) {
  if (std::isnan(r)) return r;
  const FormatTraits& t = traits(format);
  // The biased exponents of zero, subnormals and infinity lie beyond every format's range.
  const auto biased = static_cast<int>((std::bit_cast<std::uint64_t>(r) >> 52) & 0x7ff);
  const int exponent = std::clamp(biased - 1023, t.emin, t.emax) - t.precision + 1;
  if (exponent < -1022) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

std::optional<std::uint64_t> ulp_distance_flushed(float a, float b) {
  const auto plain = ulp_distance(a, b);
  if (!plain || std::isnan(a)) return plain;
  const std::int64_t d = flushed_ordinal(a) - flushed_ordinal(b);
  return static_cast<std::uint64_t>(d < 0 ? -d : d);
}

}  // namespace ulpfuzz
