#include "dissect_numbers.hpp"

#include <fmt/format.h>

namespace ulpfuzz::shrinking {

std::vector<TensorPlace> tensors(const Case& c) {
  std::vector<TensorPlace> result;
  const auto add = [&](TensorPlace place) {
    if (!place.in(c).data.empty()) result.push_back(std::move(place));
  };
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    add({&Case::inputs, i, fmt::format("input {}", i)});
  for (std::size_t i = 0; i < c.parameters.size(); ++i)
    add({&Case::parameters, i, fmt::format("parameter {}", i)});
  add({nullptr, 0, "cotangents"});
  return result;
}

std::vector<Number> numbers(const Case& c) {
  std::vector<Number> result;
  for (const TensorPlace& place : tensors(c)) {
    const Tensor& t = place.in(c);
    for (std::size_t i = 0; i < t.data.size(); ++i)
      result.push_back({place, i, fmt::format("{}[{}][{}]", place.name, i / t.cols, i % t.cols)});
  }
  return result;
}

}  // namespace ulpfuzz::shrinking
