#include "masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ulpfuzz::probe {
namespace {

double value(Term t) { return double{t.left} * t.right; }

// Wide first. fp16 operands reach from 2^-14 (2^-24 with subnormals) to 2^15; what is kept in fp16
// on the way does so for the products, too.
constexpr std::array<Masks, 5> choices{{{{0x1p50f, 0x1p50f}, {1, 1}, 0},
                                        {{0x1p15f, 0x1p15f}, {0x1p-14f, 0x1p-14f}, 0},
                                        {{0x1p15f, 1}, {0x1p-10f, 0x1p-10f}, 0},
                                        {{0x1p15f, 1}, {0x1p-7f, 0x1p-7f}, 0},
                                        {{0x1p15f, 1}, {0x1p-7f, 0x1p-3f}, 0}}};

class Choice {
 public:
  Choice(Site& site, const Masks& masks) : site_(site), masks_(masks), terms_(site.terms()) {}

  bool carries_big() {
    for (const std::size_t i : {std::size_t{0}, terms_.size() / 2, terms_.size() - 1}) {
      if (!gives(site_.ask({{i, masks_.big}}), value(masks_.big), "the large term alone"))
        return false;
      const std::size_t j = i == 0 ? terms_.size() - 1 : 0;
      if (!gives(site_.ask({{i, masks_.big}, {j, negative(masks_.big)}}), 0, "M and -M"))
        return false;
    }
    return true;
  }

  /// Does a unit vanish if it is added to M before -M is? Of three places, some pair is added
  /// first.
  bool absorbs() {
    if (terms_.size() < 3) return true;
    const std::array<std::size_t, 3> at{0, terms_.size() / 2, terms_.size() - 1};
    for (std::size_t unit = 0; unit < 3; ++unit) {
      const float left = site_.ask({{at[unit], masks_.unit},
                                    {at[(unit + 1) % 3], masks_.big},
                                    {at[(unit + 2) % 3], negative(masks_.big)}});
      if (left == 0) return true;
    }
    complaint_ = fmt::format("{:g} is kept beside {:g} everywhere: sums are exact, or nearly so",
                             value(masks_.unit), value(masks_.big));
    return false;
  }

  /// Are `count` units and one less counted exactly, and do they vanish beside big, wherever?
  bool counts(std::size_t count) {
    for (const std::size_t units : {count, count - 1}) {
      for (const bool at_end : {false, true}) {
        place_units(units, at_end);
        if (!gives(site_.ask(terms_), static_cast<double>(units) * value(masks_.unit),
                   "a sum of units"))
          return false;
      }
    }
    const std::size_t last = terms_.size() - 1;
    for (const std::size_t i : {std::size_t{0}, terms_.size() / 2, last}) {
      place_units(count, i < last / 2 + 1);
      terms_[i] = masks_.big;
      if (!gives(site_.ask(terms_), value(masks_.big), "M and units")) return false;
    }
    return true;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void place_units(std::size_t count, bool at_end) {
    std::fill(terms_.begin(), terms_.end(), Term{});
    const auto start =
        terms_.begin() + static_cast<std::ptrdiff_t>(at_end ? terms_.size() - count : 0);
    std::fill_n(start, count, masks_.unit);
  }
  bool gives(float got, double expected, const char* what) {
    if (double{got} == expected) return true;
    complaint_ = fmt::format("{} gave {:g} instead of {:g} (M = {:g}, unit = {:g})", what, got,
                             expected, value(masks_.big), value(masks_.unit));
    return false;
  }

  Site& site_;
  const Masks& masks_;
  std::vector<Term> terms_;
  std::string complaint_;
};

}  // namespace

std::optional<Masks> choose_masks(Site& site, std::string& why) {
  why.clear();
  for (Masks masks : choices) {
    Choice choice(site, masks);
    if (!choice.carries_big() || !choice.absorbs()) {
      if (why.empty()) why = choice.complaint();
      continue;
    }
    // Small sums have no room for smaller groups.
    const std::size_t least = std::min<std::size_t>(site.terms(), 8);
    for (std::size_t cap = site.terms(); cap >= least;
         cap = cap > 8 ? std::max(least, cap / 2) : 0) {
      if (choice.counts(cap)) {
        masks.cap = cap;
        return masks;
      }
    }
    why = choice.complaint();
  }
  return std::nullopt;
}

std::optional<std::size_t> meeting_size(Site& site, const Masks& masks, std::size_t i,
                                        std::size_t j, std::string& why) {
  const std::size_t n = site.terms();
  std::vector<Term> terms(n);
  std::size_t survivors = 0;
  for (std::size_t next = 0; next < n;) {
    std::fill(terms.begin(), terms.end(), Term{});
    terms[i] = masks.big;
    terms[j] = negative(masks.big);
    std::size_t units = 0;
    for (; next < n && units < masks.cap; ++next) {
      if (next == i || next == j) continue;
      terms[next] = masks.unit;
      ++units;
    }
    const double count = double{site.ask(terms)} / value(masks.unit);
    if (!(count >= 0 && count <= static_cast<double>(units) && count == std::floor(count))) {
      why = fmt::format("M at term {}, -M at term {} and {} units gave {:g} units", i, j, units,
                        count);
      return std::nullopt;
    }
    survivors += static_cast<std::size_t>(count);
  }
  return n - survivors;
}

}  // namespace ulpfuzz::probe
