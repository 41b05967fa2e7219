#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>

#include "cost.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

// Keeps `bits` of the 24 of a significand, towards zero.
template <int bits>
float shorten(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~((1u << (24 - bits)) - 1));
}

float nearest_integer(float x) { return std::isfinite(x) ? std::nearbyint(x) : x; }
// To the same side of 0, where the value itself would round to 0.
float unit(float x) { return std::isnan(x) ? 1 : std::copysign(1.0f, x); }

struct Kind {
  const char* name;
  float (*of)(float);
  bool single;  ///< worth trying element by element
};
constexpr std::array<Kind, 8> kinds{{
    {"0", [](float) { return 0.0f; }, true},
    {"1", [](float) { return 1.0f; }, true},
    {"+-1", unit, true},
    {"integers", nearest_integer, true},
    {"powers of two", shorten<1>, true},
    {"3 bits", shorten<3>, false},
    {"6 bits", shorten<6>, false},
    {"12 bits", shorten<12>, false},
}};

// A tensor of the case, found again in its copy.
struct Place {
  std::vector<Tensor> Case::*list;
  std::size_t index;
  std::string name;

  const Tensor& in(const Case& c) const {
    return list == nullptr ? c.cotangents : (c.*list)[index];
  }
  Tensor& in(Case& c) const { return list == nullptr ? c.cotangents : (c.*list)[index]; }
};

std::vector<Place> places(const Case& c) {
  std::vector<Place> result;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    result.push_back({&Case::inputs, i, fmt::format("input {}", i)});
  }
  for (std::size_t i = 0; i < c.parameters.size(); ++i) {
    result.push_back({&Case::parameters, i, fmt::format("parameter {}", i)});
  }
  result.push_back({nullptr, 0, "cotangents"});
  return result;
}

// One kind of change of one tensor, and the elements that it makes simpler.
struct Change {
  Place place;
  Kind kind;
  std::shared_ptr<const std::vector<std::uint32_t>> elements;

  void offer(const Case& c, std::size_t first, std::size_t last, Edits& edits) const {
    std::string what = last - first == elements->size()
                           ? fmt::format("{} -> {}", place.name, kind.name)
                           : fmt::format("{}, elements {}..{} -> {}", place.name,
                                         (*elements)[first], (*elements)[last - 1], kind.name);
    edits.push_back({std::move(what), [&c, change = *this, first, last] {
                       Case result = c;
                       Tensor& tensor = change.place.in(result);
                       for (std::size_t i = first; i < last; ++i) {
                         float& x = tensor.data[(*change.elements)[i]];
                         x = change.kind.of(x);
                       }
                       return result;
                     }});
  }
};

std::vector<Change> changes(const Case& c) {
  std::vector<Change> result;
  for (const Place& place : places(c)) {
    const auto& data = place.in(c).data;
    for (const Kind& kind : kinds) {
      std::vector<std::uint32_t> elements;
      for (std::uint32_t i = 0; i < data.size(); ++i) {
        if (element_cost(kind.of(data[i])) < element_cost(data[i])) elements.push_back(i);
      }
      if (elements.empty()) continue;
      result.push_back({place, kind, std::make_shared<const std::vector<std::uint32_t>>(elements)});
    }
  }
  return result;
}

void drop_cotangents(const Case& c, Edits& edits) {
  if (c.cotangents.cols == 0) return;
  edits.push_back({"no cotangents", [&c] {
                     Case result = c;
                     result.cotangents = Tensor();
                     return result;
                   }});
}

constexpr std::size_t most_singles = 4096;

}  // namespace

void simpler_values(const Case& c, Edits& edits) {
  drop_cotangents(c, edits);
  const auto all = changes(c);
  for (const Change& change : all) {
    if (change.elements->size() > 1) change.offer(c, 0, change.elements->size(), edits);
  }
  for (const Change& change : all) {
    pieces(static_cast<std::uint32_t>(change.elements->size()), 128,
           [&](std::uint32_t first, std::uint32_t last) { change.offer(c, first, last, edits); });
  }
  std::size_t singles = 0;
  for (const Change& change : all) {
    if (!change.kind.single && change.elements->size() > 1) continue;
    for (std::size_t i = 0; i < change.elements->size() && singles < most_singles; ++i, ++singles) {
      change.offer(c, i, i + 1, edits);
    }
  }
}

}  // namespace ulpfuzz::generators
