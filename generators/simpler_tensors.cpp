#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "places.hpp"

namespace ulpfuzz::generators {
namespace {

bool helps(const Kind& kind, const Tensor& tensor, const Elements& elements) {
  return std::ranges::any_of(elements.list,
                             [&](std::uint32_t i) { return kind.helps(tensor.data[i]); });
}

const std::array<Kind, 4>& kinds() {
  static const std::array<Kind, 4> list{
      {{"0", to_zero}, {"1", to_one}, {"+-1", to_unit}, {"no NaN or infinity", to_plain}}};
  return list;
}

// The cheapest number that is neither 0 nor 1, if another one is dearer.
std::optional<float> cheapest(const Tensor& tensor, const Elements& odd) {
  if (odd.list.size() < 2 || !odd.all) return std::nullopt;
  const auto cost = [&](std::uint32_t i) { return element_cost(tensor.data[i]); };
  const auto [least, most] = std::ranges::minmax(odd.list, {}, cost);
  if (cost(least) == cost(most)) return std::nullopt;
  return tensor.data[least];
}

}  // namespace

void whole_tensors(const Case& c, const Focus&, Edits& edits) {
  const auto all = places(c);
  std::vector<Occupied> found;
  for (const Place& place : all) found.push_back(occupied(place.in(c)));
  for (const Kind& kind : kinds()) {
    std::vector<Place> which;
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (helps(kind, all[p].in(c), found[p].nonzero)) which.push_back(all[p]);
    }
    if (which.size() < 2) continue;
    offer_values(edits, c, "all numbers -> " + kind.name, [which, kind](Case& d) {
      for (const Place& place : which) apply(kind, place.in(d));
    });
  }
  for (const Kind& kind : kinds()) {
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (!helps(kind, all[p].in(c), found[p].nonzero)) continue;
      offer_values(edits, c, fmt::format("{} -> {}", all[p].name(), kind.name),
                   [place = all[p], kind](Case& d) { apply(kind, place.in(d)); });
    }
  }
  for (std::size_t p = 0; p < all.size(); ++p) {
    const auto value = cheapest(all[p].in(c), found[p].odd);
    if (!value) continue;
    offer_values(edits, c, fmt::format("{} -> {:a} where not 0 or 1", all[p].name(), *value),
                 [place = all[p], value](Case& d) {
                   for (float& x : place.in(d).data) {
                     if (x != 0 && x != 1) x = *value;
                   }
                 });
  }
}

}  // namespace ulpfuzz::generators
