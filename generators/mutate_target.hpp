#pragma once

#include <vector>

#include "ulpfuzz/generators/mutate.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// Inputs, parameters and cotangents that hold numbers.
std::vector<Tensor*> number_tensors(Case& c);

/// Elements first, first + step, .. of a tensor, `count` of them, at least one.
struct Run {
  std::size_t first = 0, count = 1, step = 1;

  template <class F>
  void each(Tensor& t, F f) const {
    for (std::size_t i = 0, at = first; i < count; ++i, at += step) f(t.data[at]);
  }
};
/// An element, a few neighbours, a row, a column or all of a tensor that holds numbers.
Run any_run(const Tensor& t, Source& source);

}  // namespace ulpfuzz::generators
