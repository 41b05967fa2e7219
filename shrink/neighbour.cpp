#include "neighbour.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace ulpfuzz::shrinking {
namespace {

/// Work of looking at edits, in numbers of the case: those of a minimal case take less.
constexpr std::size_t most_numbers = 20'000'000;

std::size_t numbers(const Case& c) {
  std::size_t total = 1000 + c.cotangents.data.size();  // what an edit costs at least
  for (const Tensor& t : c.parameters) total += t.data.size();
  for (const Tensor& t : c.inputs) total += t.data.size();
  return total;
}

using Distance = std::vector<std::uint64_t>;

/// How much a change says about where failing turns into passing: 0 says most.
std::uint64_t rank(std::string_view component) {
  const auto has = [&](std::string_view word) { return component.find(word) != component.npos; };
  if (has("slice")) return 2;
  if (has("rows")) return has("order") ? 3 : 0;
  return component == "features" ? 1 : 3;
}

/// Lexicographic: which component of complexity() is the first to change, then by how much.
Distance distance(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
  const auto names = generators::complexity_names();
  Distance d{at < names.size() ? rank(names[at]) : 3, at};
  for (std::size_t i = at; i < from.size(); ++i)
    d.push_back(from[i] > to[i] ? from[i] - to[i] : to[i] - from[i]);
  return d;
}

}  // namespace

std::optional<Neighbour> nearest_passing(const Answers& answers, const Ranked& failing,
                                         const generators::Focus& focus) {
  std::optional<Neighbour> nearest;
  Distance least;
  const std::size_t most_edits = most_numbers / numbers(failing.value);
  std::size_t looked_at = 0;
  for (const generators::Pass& pass : generators::passes()) {
    for (const generators::Edit& edit : pass.edits(failing.value, focus)) {
      if (++looked_at > most_edits) return nearest;
      try {
        Case c = edit.apply();
        const Verdict* verdict = answers.known(content_hash(c));
        if (verdict == nullptr || verdict->outcome != Outcome::pass) continue;
        Distance d = distance(failing.complexity, generators::complexity(c));
        if (nearest && !(d < least)) continue;
        least = std::move(d);
        nearest = Neighbour{edit.name, std::move(c), *verdict};
      } catch (const std::exception&) {
        continue;  // an edit that makes no case
      }
    }
  }
  return nearest;
}

}  // namespace ulpfuzz::shrinking
