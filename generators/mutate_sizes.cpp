#include <algorithm>
#include <bit>

#include "mutate_families.hpp"
#include "sizes.hpp"
#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::generators {
namespace {

// The nearest of tile - 1, tile, tile + 1 above or below.
std::uint32_t tile_edge(std::uint32_t size, Source& source) {
  const std::uint32_t tile = std::uint32_t{8} << source.below(2);
  const std::uint32_t near = size / tile * tile + (source.chance(50) ? tile : 0);
  return near - 1 + static_cast<std::uint32_t>(source.below(3));
}

std::uint32_t other_size(std::uint32_t size, std::uint32_t limit, Source& source) {
  switch (source.below(8)) {
    case 0:
    case 1:
      return size + 1;
    case 2:
    case 3:
      return size - 1;
    case 4:
      return 2 * size;
    case 5:
      return size / 2;
    case 6:
      return tile_edge(size, source);
    default:
      return draw_size(source, limit);
  }
}

Growth any_growth(Source& source) {
  constexpr Growth::Values kinds[]{Growth::Values::varied, Growth::Values::varied,
                                   Growth::Values::normal, Growth::Values::all_normal};
  Growth growth;
  growth.values = kinds[source.below(std::size(kinds))];
  growth.in_the_middle = source.chance(50);
  growth.seed = source.next();
  return growth;
}

}  // namespace

Case resized_dimension(const Case& c, Source& source, const Limits& limits) {
  const auto all = dimensions(c);
  const Dimension& d = all[source.chance(30) ? 0 : source.below(all.size())];
  const bool batch = d.kind == Dimension::Kind::batch;
  const std::uint32_t limit = batch                                ? limits.batch
                              : d.kind == Dimension::Kind::padding ? 32u
                                                                   : limits.width;
  const std::uint32_t size = other_size(d.size, limit, source);
  // A network keeps its features: without any it has little to show.
  if (size > limit || (size == 0 && !batch && d.kind != Dimension::Kind::padding)) return c;
  auto result = resized(c, d, size, any_growth(source));
  return result ? std::move(*result) : c;
}

}  // namespace ulpfuzz::generators
