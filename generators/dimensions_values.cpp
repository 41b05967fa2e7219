#include <bit>
#include <cmath>

#include "dimensions_resize.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

// Those with_random_low_bits() draws: a relative change below 2^-10.
constexpr std::uint32_t low = (std::uint32_t{1} << 13) - 1;

float varied(float x, std::uint32_t word) {
  if (!std::isnormal(x)) return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) & ~low) | (word & low));
}

// Streams of one seed must not overlap: each is a key of its own.
std::uint64_t key(std::uint64_t seed, std::uint64_t stream) {
  return seed * 0x9e3779b97f4a7c15u + stream;
}

}  // namespace

Origins unchanged(std::uint32_t size) { return origins(size, size, false); }

Origins origins(std::uint32_t old, std::uint32_t now, bool in_the_middle) {
  const std::uint32_t least = std::min(old, now);
  const std::uint32_t front = in_the_middle ? least - least / 2 : least;
  const std::uint32_t back = least - front;
  Origins result(now);
  for (std::uint32_t i = 0; i < front; ++i) result[i].from = i;
  for (std::uint32_t i = front; i + back < now; ++i)
    result[i] = {old == 0 ? Origin::none : i % old, true};
  for (std::uint32_t i = 0; i < back; ++i) result[now - back + i].from = old - back + i;
  return result;
}

Tensor gathered(const Tensor& from, const Origins& rows, const Origins& cols, const Growth& growth,
                std::uint64_t stream) {
  Tensor to(static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(cols.size()));
  Words words(key(growth.seed, 2 * stream));
  // What has no old number to repeat is normal too.
  if (growth.values != Growth::Values::varied || from.data.empty())
    draw_normal(to.data, 1, key(growth.seed, 2 * stream + 1));
  if (growth.values == Growth::Values::all_normal) return to;
  auto out = to.data.begin();
  for (const Origin& r : rows) {
    for (const Origin& c : cols) {
      float& x = *out++;
      const bool copy = r.copy || c.copy;
      if (r.from == Origin::none || c.from == Origin::none) continue;
      if (copy && growth.values == Growth::Values::normal) continue;
      const float old = from.row(r.from)[c.from];
      x = copy ? varied(old, words.next()) : old;
    }
  }
  return to;
}

void draw_normal(std::span<float> out, float scale, std::uint64_t seed) {
  Words words(seed);
  fill_normal(out, scale, words);
}

}  // namespace ulpfuzz::generators
