// Parts of a case drawn anew by what draws whole cases.
#include <algorithm>
#include <array>

#include "data.hpp"
#include "mutate_families.hpp"
#include "mutate_target.hpp"
#include "split.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

// What both cases hold alike stays: tensors of the same shape, one after the other.
void keep_tensors(std::vector<Tensor>& now, const std::vector<Tensor>& before) {
  std::size_t from = 0;
  for (Tensor& t : now) {
    for (std::size_t i = from; i < before.size(); ++i) {
      if (before[i].rows != t.rows || before[i].cols != t.cols) continue;
      t = before[i];
      from = i + 1;
      break;
    }
  }
}

}  // namespace

Case redrawn_tensor(const Case& c, Source& source, const Limits& limits) {
  Case result = c;
  Tensor* t = any_tensor(result, source);
  if (t == nullptr) return result;
  Words words(source.next());
  const bool plain = limits.kind == Limits::Kind::plain || source.chance(50);
  fill(*t, plain ? Values::normal : static_cast<Values>(source.below(values_count)), words);
  return result;
}

Case redrawn_split(const Case& c, Source& source, const Limits&) {
  Case result = c;
  result.split = draw_split(source, draw_split_kind(source), static_cast<std::uint32_t>(c.batch()));
  return result;
}

Case redrawn_topology(const Case& c, Source& source, const Limits& limits) {
  Limits same = limits;
  same.batch = std::min(limits.batch, static_cast<std::uint32_t>(c.batch()));
  Case result = draw_case(source, same);
  keep_tensors(result.parameters, c.parameters);
  keep_tensors(result.inputs, c.inputs);
  result.layout = c.layout;
  if (result.batch() == c.batch()) result.split = c.split;
  return result;
}

Case simplified(const Case& c, Source& source, const Limits&) {
  constexpr std::array<std::string_view, 8> coarse{"truncate suffix", "single op",      "rows",
                                                   "splits",          "output columns", "widths",
                                                   "activations",     "whole tensors"};
  // Passes over single numbers take long to list, and those have families of their own.
  const std::string_view name = coarse[source.below(coarse.size())];
  const Pass& pass = *std::ranges::find(passes(), name, &Pass::name);
  const auto edits = pass.edits(c, {});
  if (edits.empty()) return c;
  return edits[source.below(edits.size())].apply();
}

}  // namespace ulpfuzz::generators
