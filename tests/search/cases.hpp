#pragma once

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::search {

/// tanh(linear) of 6 rows, 5 -> 4, whole.
inline Case small_case() {
  Case c;
  const NodeId x = c.network.input(5), w = c.network.parameter(4, 5);
  c.network.output(c.network.activation(Op::tanh, c.network.linear(x, w)));
  const auto filled = [](std::uint32_t rows, std::uint32_t cols) {
    Tensor t(rows, cols);
    for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = 0.25f + static_cast<float>(i) / 64;
    return t;
  };
  c.parameters = {filled(4, 5)};
  c.inputs = {filled(6, 5)};
  c.cotangents = filled(6, 4);
  c.split = {{{0, 1, 2, 3, 4, 5}, 0}};
  return c;
}

inline Verdict passing(double share) {
  Verdict v;
  v.share = share;
  v.worst.tier = Tier::sound;
  return v;
}

inline Verdict failing(double share) {
  Verdict v = passing(share);
  v.outcome = Outcome::fail;
  v.failure = FailureClass::beyond_bound;
  return v;
}

}  // namespace ulpfuzz::search
