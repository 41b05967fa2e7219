#include <algorithm>
#include <cmath>

#include "mutate_families.hpp"

namespace ulpfuzz::generators {
namespace {

using Change = void (*)(std::span<float> to, std::span<float> from, int power);

void equal(std::span<float> to, std::span<float> from, int) { std::ranges::copy(from, to.begin()); }
void opposite(std::span<float> to, std::span<float> from, int) {
  std::ranges::transform(from, to.begin(), [](float x) { return -x; });
}
void multiple(std::span<float> to, std::span<float> from, int power) {
  std::ranges::transform(from, to.begin(), [&](float x) { return std::scalbn(x, power); });
}
void swapped(std::span<float> to, std::span<float> from, int) {
  std::ranges::swap_ranges(to, from);
}

}  // namespace

// A batch row of all inputs at once: equal to another, opposite, a multiple; two change places.
Case changed_rows(const Case& c, Source& source, const Limits&) {
  constexpr Change changes[]{equal, equal, opposite, multiple, swapped};
  Case result = c;
  if (c.batch() < 2) return result;
  const Change change = changes[source.below(std::size(changes))];
  const int power = static_cast<int>(source.between(-8, 8));
  const std::size_t from = source.below(c.batch());
  const bool all = change != swapped && source.chance(20);
  const std::size_t only = source.below(c.batch());
  for (std::size_t to = 0; to < c.batch(); ++to) {
    if (to == from || (!all && to != only)) continue;
    for (Tensor& t : result.inputs)
      if (t.cols > 0) change(t.row(to), t.row(from), power);
  }
  return result;
}

}  // namespace ulpfuzz::generators
