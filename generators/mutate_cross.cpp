#include <algorithm>
#include <stdexcept>
#include <utility>

#include "mutate_families.hpp"
#include "mutate_target.hpp"

namespace ulpfuzz::generators {
namespace {

using Cross = Case (*)(const Case& a, const Case& b, Source& source, const Limits& limits);

bool same_shape(const Tensor& a, const Tensor& b) { return a.rows == b.rows && a.cols == b.cols; }

Case tensors(const Case& a, const Case& b, Source& source, const Limits&) {
  Case result = a, from = b;
  std::vector<std::pair<Tensor*, const Tensor*>> pairs;
  for (Tensor* to : number_tensors(result))
    for (const Tensor* t : number_tensors(from))
      if (same_shape(*to, *t) && !identical(*to, *t)) pairs.emplace_back(to, t);
  if (pairs.empty()) return result;
  const std::size_t only = source.below(pairs.size());
  const bool several = source.chance(30);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (i == only || (several && source.chance(50))) *pairs[i].first = *pairs[i].second;
  return result;
}

// A batch row of b takes the place of one.
Case rows(const Case& a, const Case& b, Source& source, const Limits&) {
  Case result = a;
  if (a.batch() == 0 || b.batch() == 0) return result;
  const std::size_t to = source.below(a.batch()), from = source.below(b.batch());
  for (std::size_t i = 0; i < std::min(a.inputs.size(), b.inputs.size()); ++i) {
    if (result.inputs[i].cols == b.inputs[i].cols)
      std::ranges::copy(b.inputs[i].row(from), result.inputs[i].row(to).begin());
  }
  return result;
}

Case split(const Case& a, const Case& b, Source& source, const Limits& limits) {
  Case result = a;
  result.split = b.split;
  for (Slice& slice : result.split)
    std::erase_if(slice.rows, [&](std::uint32_t row) { return row >= a.batch(); });
  if (source.chance(30)) result.layout = b.layout;
  return within(result, limits) ? result : a;
}

Case ops(const Case& a, const Case& b, Source& source, const Limits& limits) {
  const auto here = batch_nodes(a.network, false), there = batch_nodes(b.network, true);
  if (there.empty()) return a;
  const NodeId at = here[source.below(here.size())];
  const NodeId last = there[source.below(there.size())];
  const auto before = batch_nodes(b.network, false);
  const NodeId first = before[source.below(before.size())];
  return grafted(a, at, b, std::min(first, last), last, source, limits);
}

constexpr Cross ways[]{tensors, rows, split, ops};

}  // namespace

Case crossed(const Case& a, const Case& b, Source& source, const Limits& limits) {
  if (!within(a, limits) || !has_its_cotangents(a, limits)) return mutated(a, source, limits);
  const std::size_t begin = source.below(std::size(ways));
  for (std::size_t i = 0; i < 2 * std::size(ways); ++i) {
    try {
      Case result = ways[(begin + i) % std::size(ways)](a, b, source, limits);
      complete(result, limits, source);
      if (!within(result, limits) || identical(result, a)) continue;
      validate(result);
      return result;
    } catch (const std::invalid_argument&) {  // what the network refuses
    }
  }
  return mutated(a, source, limits);
}

}  // namespace ulpfuzz::generators
