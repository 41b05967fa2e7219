#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "mutate_families.hpp"
#include "mutate_target.hpp"
#include "places.hpp"
#include "words.hpp"

namespace ulpfuzz::generators {
namespace {

using Limit = std::numeric_limits<float>;

// The float `steps` further along the number line, +0 and -0 being one; infinities are the ends.
float ulps_away(float x, std::int64_t steps) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::int64_t magnitude = bits & 0x7fffffffu;
  const std::int64_t most = 0x7f800000;
  const std::int64_t key = (bits >> 31 != 0 ? -magnitude : magnitude) + steps;
  const std::int64_t end = std::clamp(key, -most, most);
  const auto now = static_cast<std::uint32_t>(end < 0 ? -end : end);
  return std::bit_cast<float>(now | (end < 0 ? 0x80000000u : 0u));
}

std::int64_t some_ulps(Source& source) {
  const std::int64_t size = source.chance(50) ? 1 : std::int64_t{1} << source.below(14);
  return source.chance(50) ? size : -size;
}

float any_special(Source& source) {
  constexpr std::array values{0.0f,
                              -0.0f,
                              1.0f,
                              -1.0f,
                              0.5f,
                              2.0f,
                              Limit::denorm_min(),
                              -Limit::denorm_min(),
                              Limit::min(),
                              1 + Limit::epsilon(),
                              1 - Limit::epsilon() / 2,
                              0x1p24f,
                              0x1p12f + 1,
                              Limit::max(),
                              0x1p64f,
                              0x1p-64f};
  if (source.chance(94)) return values[source.below(values.size())];
  return source.chance(50) ? Limit::infinity() : Limit::quiet_NaN();
}

// A tensor of the case, some of whose numbers `change` alters: change(float&).
template <class F>
Case with_run(const Case& c, Source& source, F change) {
  Case result = c;
  if (Tensor* t = any_tensor(result, source)) any_run(*t, source).each(*t, change);
  return result;
}

int some_power(Source& source) {
  const int size = 1 + static_cast<int>(source.below(source.chance(80) ? 4 : 40));
  return source.chance(50) ? size : -size;
}

}  // namespace

Case moved_by_ulps(const Case& c, Source& source, const Limits&) {
  const std::int64_t steps = some_ulps(source);
  const bool same = source.chance(50);
  Words words(source.next());
  return with_run(c, source, [&](float& x) {
    x = ulps_away(x, same || words.next() % 2 == 0 ? steps : -steps);
  });
}

Case redrawn_low_bits(const Case& c, Source& source, const Limits&) {
  if (source.chance(30)) return with_random_low_bits(c, source.next());
  const std::uint32_t low = (std::uint32_t{1} << (1 + source.below(23))) - 1;
  Words words(source.next());
  return with_run(c, source, [&](float& x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (std::isfinite(x) && x != 0) x = std::bit_cast<float>((bits & ~low) | (words.next() & low));
  });
}

Case specials(const Case& c, Source& source, const Limits&) {
  const float value = any_special(source);
  return with_run(c, source, [&](float& x) { x = value; });
}

Case rounded(const Case& c, Source& source, const Limits&) {
  const int bits = source.chance(40) ? 1 : 1 + static_cast<int>(source.below(16));
  return with_run(c, source, [&](float& x) { x = to_bits(x, bits); });
}

Case flipped_signs(const Case& c, Source& source, const Limits&) {
  Words words(source.next());
  const std::uint64_t kind = source.below(3);
  return with_run(c, source, [&](float& x) {
    if (kind == 0 || (kind == 1 && words.next() % 2 == 0)) x = -x;
    if (kind == 2) x = std::fabs(x);
  });
}

Case scaled(const Case& c, Source& source, const Limits&) {
  const int power = some_power(source);
  return with_run(c, source, [&](float& x) { x = std::scalbn(x, power); });
}

Case copied_numbers(const Case& c, Source& source, const Limits&) {
  Case result = c;
  Tensor* t = any_tensor(result, source);
  if (t == nullptr) return result;
  if (source.chance(40) && t->rows > 1) {  // a row over another
    const std::size_t from = source.below(t->rows), to = source.below(t->rows);
    if (from != to) std::ranges::copy(t->row(from), t->row(to).begin());
    return result;
  }
  float& one = t->data[source.below(t->data.size())];
  if (source.chance(30)) {
    std::swap(one, t->data[source.below(t->data.size())]);
  } else {
    const float value = one;
    any_run(*t, source).each(*t, [&](float& x) { x = value; });
  }
  return result;
}

}  // namespace ulpfuzz::generators
