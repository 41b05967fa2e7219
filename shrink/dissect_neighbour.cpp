#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "dissect_parts.hpp"
#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::shrinking {
namespace {

/// The pass whose edits say most comes first: a size, then a number, then another network.
int rank(std::string_view pass) {
  constexpr std::array<std::string_view, 8> telling{"rows",     "widths",  "output columns",
                                                    "splits",   "zeroing", "whole tensors",
                                                    "rounding", "pairs"};
  return static_cast<int>(std::ranges::find(telling, pass) - telling.begin());
}

constexpr std::uint64_t most_tried = 60;

std::optional<Neighbour> judged(Asker& asker, std::string edit, Case near) {
  if (asker.spent() || !asker.affordable(near)) return std::nullopt;
  Verdict v = asker.ask(near);
  if (!asker.passes(v)) return std::nullopt;
  return Neighbour{std::move(edit), std::move(near), std::move(v)};
}

/// One row or feature less, or more.
std::optional<Neighbour> next_size(Asker& asker) {
  const Case& c = asker.failing().value;
  for (const bool less : {true, false}) {
    for (const generators::Dimension& d : generators::dimensions(c)) {
      if (less && d.size < 2) continue;
      const std::uint32_t size = less ? d.size - 1 : d.size + 1;
      auto near = generators::resized(c, d, size);
      if (!near) continue;
      const std::string edit = fmt::format("one {} in the {}", less ? "less" : "more", d.name);
      if (auto found = judged(asker, edit, std::move(*near))) return found;
    }
  }
  return std::nullopt;
}

/// Without cotangents no batch-summed gradient is looked at: what passes then tells nothing.
bool same_questions(const Case& a, const Case& b) {
  return a.cotangents.data.empty() == b.cotangents.data.empty();
}

std::optional<Neighbour> other_edit(Asker& asker) {
  const Case& c = asker.failing().value;
  std::vector<generators::Pass> passes(generators::passes().begin(), generators::passes().end());
  std::ranges::stable_sort(passes, {}, [](const generators::Pass& p) { return rank(p.name); });
  const std::uint64_t until = asker.asked() + most_tried;
  for (const generators::Pass& pass : passes) {
    auto edits = pass.edits(c, focus_of(asker.failing().verdict));
    std::ranges::reverse(edits);  // single parts come last in a pass
    for (const generators::Edit& edit : edits) {
      if (asker.spent() || asker.asked() >= until) return std::nullopt;
      try {
        Case near = edit.apply();
        validate(near);
        if (hollow(near) || !same_questions(c, near)) continue;
        if (auto found = judged(asker, edit.name, std::move(near))) return found;
      } catch (const std::invalid_argument&) {
        continue;  // not a case
      }
    }
  }
  return std::nullopt;
}

/// By how many rows and features two cases differ; nothing if they differ in more than sizes.
std::optional<std::uint64_t> apart(const Case& a, const Case& b) {
  const auto ours = generators::dimensions(a), theirs = generators::dimensions(b);
  if (ours.size() != theirs.size() || a.network.nodes().size() != b.network.nodes().size())
    return std::nullopt;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].name != theirs[i].name) return std::nullopt;
    const auto [less, more] = std::minmax(ours[i].size, theirs[i].size);
    total += more - less;
  }
  return total;
}

}  // namespace

bool hollow(const Case& c) {
  if (c.output_node().arity == 0) return true;
  return std::ranges::any_of(generators::dimensions(c),
                             [](const generators::Dimension& d) { return d.size == 0; });
}

std::optional<Neighbour> nearest_neighbour(Asker& asker, const std::optional<Neighbour>& known) {
  const Case& failing = asker.failing().value;
  const bool good =
      known && (hollow(failing) || !hollow(known->value)) && same_questions(failing, known->value);
  if (good && apart(failing, known->value).value_or(2) <= 1) return known;
  if (auto found = next_size(asker)) return found;
  if (good) return known;
  if (auto found = other_edit(asker)) return found;
  return known;
}

std::string other_sizes(const Case& failing, const Case& passing) {
  if (!apart(failing, passing)) return {};
  const auto ours = generators::dimensions(failing), theirs = generators::dimensions(passing);
  std::string text;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].size == theirs[i].size) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {} instead of {}", ours[i].name + (i == 0 ? "" : ":"), theirs[i].size,
                        ours[i].size);
  }
  return text;
}

}  // namespace ulpfuzz::shrinking
