#include "mutate_target.hpp"

#include <algorithm>

namespace ulpfuzz::generators {

std::vector<Tensor*> number_tensors(Case& c) {
  std::vector<Tensor*> result;
  const auto add = [&](Tensor& t) {
    if (!t.data.empty()) result.push_back(&t);
  };
  std::ranges::for_each(c.inputs, add);
  std::ranges::for_each(c.parameters, add);
  add(c.cotangents);
  return result;
}

Tensor* any_tensor(Case& c, Source& source) {
  const auto all = number_tensors(c);
  return all.empty() ? nullptr : all[source.below(all.size())];
}

Run any_run(const Tensor& t, Source& source) {
  const std::size_t size = t.data.size();
  const std::uint64_t kind = source.below(100);
  const std::size_t at = source.below(size);
  if (kind < 45) return {at, 1, 1};
  if (kind < 65) return {at, 1 + source.below(std::min<std::size_t>(8, size - at)), 1};
  const std::size_t row = at / t.cols, col = at % t.cols;
  if (kind < 80) return {row * t.cols, t.cols, 1};
  if (kind < 92) return {col, t.rows, t.cols};
  return {0, size, 1};
}

}  // namespace ulpfuzz::generators
