#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "places.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::size_t most_elements = 512, most_singles = 2048;

struct Found {
  Place place;
  Elements odd;
};

Kind bits(int n) { return {fmt::format("{} bit{}", n, n == 1 ? "" : "s"), to_bits, n}; }

/// For whole tensors, in the order in which they are tried: the crudest first, so that the first
/// that keeps the failure is the last.
const std::vector<Kind>& coarse() {
  static const std::vector<Kind> list{{"integers", to_integer},
                                      bits(1),
                                      bits(2),
                                      bits(4),
                                      bits(8),
                                      bits(12),
                                      bits(16),
                                      {"first and last bit", to_end_bits},
                                      {"no sign", to_magnitude}};
  return list;
}

const std::vector<Kind>& fine() {
  static const std::vector<Kind> list{{"1", to_one},
                                      {"+-1", to_unit},
                                      bits(1),
                                      {"the next power of two", to_next_power},
                                      {"integers", to_integer},
                                      {"no exponent", to_exponent, 0},
                                      {"half the exponent", to_exponent, 50},
                                      {"3/4 of the exponent", to_exponent, 75},
                                      {"7/8 of the exponent", to_exponent, 88},
                                      {"exponent by 1", to_smaller_exponent},
                                      bits(2),
                                      bits(3),
                                      bits(4),
                                      bits(6),
                                      bits(8),
                                      bits(11),
                                      bits(16),
                                      bits(20),
                                      bits(22),
                                      bits(23),
                                      {"first and last bit", to_end_bits},
                                      {"no sign", to_magnitude},
                                      {"no payload", to_plain}};
  return list;
}

bool helps(const Kind& kind, const Case& c, const Found& f) {
  const auto& data = f.place.in(c).data;
  return std::ranges::any_of(f.odd.list, [&](std::uint32_t i) { return kind.helps(data[i]); });
}

void everything(const Case& c, const std::vector<Found>& found, Edits& edits) {
  for (const Kind& kind : coarse()) {
    std::vector<Place> which;
    for (const Found& f : found) {
      if (helps(kind, c, f)) which.push_back(f.place);
    }
    if (which.size() < 2) continue;
    offer_values(edits, c, "all numbers -> " + kind.name, [which, kind](Case& d) {
      for (const Place& place : which) apply(kind, place.in(d));
    });
  }
}

void tensors(const Case& c, const std::vector<Found>& found, Edits& edits) {
  for (const Found& f : found) {
    if (f.odd.list.size() < 2) continue;
    for (const Kind& kind : coarse()) {
      if (!helps(kind, c, f)) continue;
      offer_values(edits, c, fmt::format("{} -> {}", f.place.name(), kind.name),
                   [place = f.place, kind](Case& d) { apply(kind, place.in(d)); });
    }
  }
}

void scale(Tensor& tensor, int exponent) {
  for (float& x : tensor.data) x = std::scalbn(x, exponent);
}

// All exponents of a tensor together, so that its largest becomes 0, or comes nearer.
void exponents(const Case& c, const Found& f, Edits& edits) {
  if (!f.odd.all) return;
  const Tensor& tensor = f.place.in(c);
  float largest = 0;
  for (const std::uint32_t i : f.odd.list) {
    if (std::isfinite(tensor.data[i])) largest = std::max(largest, std::fabs(tensor.data[i]));
  }
  if (largest == 0) return;
  const int exponent = std::ilogb(largest);
  for (const int by : {exponent, exponent / 2, exponent / 4, exponent > 0 ? 1 : -1}) {
    Tensor scaled = tensor;
    scale(scaled, -by);
    if (by == 0 || values_cost(scaled.data) >= values_cost(tensor.data)) continue;
    const std::string name = fmt::format("{} times 2^{}", f.place.name(), -by);
    if (!edits.empty() && edits.back().name == name) continue;
    offer_values(edits, c, name, [place = f.place, by](Case& d) { scale(place.in(d), -by); });
  }
}

/// One kind of change of one tensor, and the elements that it makes simpler.
struct Change {
  Place place;
  Kind kind;
  std::shared_ptr<const std::vector<std::uint32_t>> elements;

  void offer(const Case& c, std::size_t first, std::size_t last, Edits& edits) const {
    offer_values(edits, c,
                 fmt::format("{}, numbers {}..{} -> {}", place.name(), (*elements)[first],
                             (*elements)[last - 1], kind.name),
                 [change = *this, first, last](Case& d) {
                   auto& data = change.place.in(d).data;
                   for (std::size_t i = first; i < last; ++i) {
                     float& x = data[(*change.elements)[i]];
                     x = change.kind(x);
                   }
                 });
  }
};

std::vector<Change> changes(const Case& c, const std::vector<Found>& found) {
  std::vector<Change> result;
  const std::size_t share =
      std::max<std::size_t>(most_elements / std::max<std::size_t>(found.size(), 1), 1);
  for (const Kind& kind : fine()) {
    for (const Found& f : found) {
      std::vector<std::uint32_t> elements;
      for (const std::uint32_t i :
           std::span(f.odd.list).first(std::min(share, f.odd.list.size()))) {
        if (kind.helps(f.place.in(c).data[i])) elements.push_back(i);
      }
      if (elements.empty()) continue;
      auto shared = std::make_shared<const std::vector<std::uint32_t>>(std::move(elements));
      result.push_back({f.place, kind, std::move(shared)});
    }
  }
  return result;
}

}  // namespace

void rounded_numbers(const Case& c, const Focus&, Edits& edits) {
  std::vector<Found> found;
  for (const Place& place : places(c)) {
    Elements odd = occupied(place.in(c)).odd;
    if (!odd.list.empty()) found.push_back({place, std::move(odd)});
  }
  everything(c, found, edits);
  tensors(c, found, edits);
  for (const Found& f : found) exponents(c, f, edits);
  const auto all = changes(c, found);
  for (const Change& change : all) {
    const auto n = static_cast<std::uint32_t>(change.elements->size());
    if (n > 8) {
      pieces(n, 16,
             [&](std::uint32_t first, std::uint32_t last) { change.offer(c, first, last, edits); });
    }
  }
  std::size_t singles = 0;
  for (const Change& change : all) {
    for (std::size_t i = 0; i < change.elements->size() && singles < most_singles; ++i, ++singles)
      change.offer(c, i, i + 1, edits);
  }
}

}  // namespace ulpfuzz::generators
