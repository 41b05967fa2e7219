#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "places.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::size_t most_lines = 256, most_edits = 4096, most_singles = 1024;

/// Elements at a stride: a row or a column.
struct Line {
  std::size_t first, step, count;
};

bool has_number(const Tensor& tensor, const Line& line) {
  for (std::size_t i = 0; i < line.count; ++i) {
    const float x = tensor.data[line.first + i * line.step];
    if (x != 0 || std::signbit(x)) return true;
  }
  return false;
}

// To leave but the row or column, or to leave it out.
void offer_line(const Case& c, const Place& place, std::string name, const Line& line,
                Edits& edits) {
  if (!has_number(place.in(c), line)) return;
  offer_values(edits, c, std::move(name), [place, line](Case& d) {
    for (std::size_t i = 0; i < line.count; ++i) place.in(d).data[line.first + i * line.step] = 0;
  });
}

void lines(const Case& c, const Place& place, Edits& edits) {
  const Tensor& t = place.in(c);
  if (t.rows < 2 || t.cols < 2 || t.rows + t.cols > most_lines) return;
  for (std::uint32_t i = 0; i < t.rows; ++i) {
    offer_line(c, place, fmt::format("{}, row {} -> 0", place.name(), i),
               {std::size_t{i} * t.cols, 1, t.cols}, edits);
  }
  for (std::uint32_t j = 0; j < t.cols; ++j) {
    offer_line(c, place, fmt::format("{}, column {} -> 0", place.name(), j), {j, t.cols, t.rows},
               edits);
  }
}

// Special values alone, where they are some of many.
void finite(const Case& c, const Place& place, const Occupied& found, Edits& edits) {
  const auto& data = place.in(c).data;
  const auto is_finite = [&](std::uint32_t i) { return std::isfinite(data[i]); };
  const auto count = std::ranges::count_if(found.nonzero.list, is_finite);
  if (count < 2 || static_cast<std::size_t>(count) == found.nonzero.list.size()) return;
  offer_values(edits, c, fmt::format("{}, finite numbers -> 0", place.name()), [place](Case& d) {
    apply(Kind{"", finite_to_zero}, place.in(d));
  });
}

void range(const Case& c, const Place& place, std::string name, std::size_t first, std::size_t last,
           Edits& edits) {
  offer_values(edits, c, std::move(name), [place, first, last](Case& d) {
    auto& data = place.in(d).data;
    std::fill(data.begin() + static_cast<std::ptrdiff_t>(first),
              data.begin() + static_cast<std::ptrdiff_t>(last), 0.0f);
  });
}

void numbers(const Case& c, const Place& place, const Elements& nonzero, std::size_t first,
             std::size_t last, Edits& edits) {
  const std::uint32_t from = nonzero.list[first], to = nonzero.list[last - 1];
  range(c, place, fmt::format("{}, numbers {}..{} -> 0", place.name(), from, to), from, to + 1,
        edits);
}

// Pieces hold as many numbers that are not 0, where these are few enough to be known.
void parts(const Case& c, const Place& place, const Elements& nonzero, Edits& edits) {
  if (nonzero.all) {
    return pieces(static_cast<std::uint32_t>(nonzero.list.size()), 64,
                  [&](std::size_t first, std::size_t last) {
                    numbers(c, place, nonzero, first, last, edits);
                  });
  }
  const auto size = static_cast<std::uint32_t>(place.in(c).data.size());
  pieces(size, 64, [&](std::uint32_t first, std::uint32_t last) {
    if (!has_number(place.in(c), {first, 1, last - first})) return;
    range(c, place, fmt::format("{}, all of {}..{} -> 0", place.name(), first, last - 1), first,
          last, edits);
  });
}

}  // namespace

void zeroed_parts(const Case& c, const Focus&, Edits& edits) {
  const auto all = places(c);
  std::vector<Occupied> found;
  for (const Place& place : all) found.push_back(occupied(place.in(c)));
  for (std::size_t p = 0; p < all.size(); ++p) finite(c, all[p], found[p], edits);
  for (const Place& place : all) {
    if (edits.size() < most_edits) lines(c, place, edits);
  }
  for (std::size_t p = 0; p < all.size() && edits.size() < most_edits; ++p)
    parts(c, all[p], found[p].nonzero, edits);
  // Of each tensor some, so that none waits for another.
  const std::size_t share =
      std::max<std::size_t>(most_singles / std::max<std::size_t>(all.size(), 1), 1);
  for (std::size_t p = 0; p < all.size(); ++p) {
    const Elements& nonzero = found[p].nonzero;
    const std::size_t n = nonzero.list.size();
    for (std::size_t i = 0; n > 1 && i < std::min(n, share); ++i)
      numbers(c, all[p], nonzero, i, i + 1, edits);
  }
}

}  // namespace ulpfuzz::generators
