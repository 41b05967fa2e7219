#pragma once

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bench {

/// Element (r, j) of entry e of a node that only moves values; `operand(k, e)` gives the values of
/// its k-th operand that this entry reads.
template <class N, class Operand>
N moved(const Network& network, const Node& n, std::size_t e, std::size_t r, std::size_t j,
        const Operand& operand) {
  const std::size_t t = e % network.repeat();
  const auto shape = [&](std::size_t k) { return network.node(n.args[k]).shape; };
  switch (n.op) {
    case Op::concat: {
      const std::size_t left = shape(0).cols;
      return j < left ? operand(0, e)[r * left + j] : operand(1, e)[r * shape(1).cols + j - left];
    }
    case Op::reshape:
      return operand(0, e)[r * n.shape.cols + j];
    case Op::slice:
      return operand(0, e)[r * shape(0).cols + n.index + j];
    case Op::pad: {
      const std::size_t inner = shape(0).cols;
      return j >= n.index && j < n.index + inner ? operand(0, e)[r * inner + j - n.index] : N(0);
    }
    case Op::basis: {
      const bool whole = network.repeat() == n.shape.size();
      return N((whole ? r * n.shape.cols + j : j) == t ? 1.0 : 0.0);
    }
    default: {  // unit_tangents
      const std::size_t k = shape(0).cols;
      return t / k == j ? operand(0, e)[r * k + t % k] : N(0);
    }
  }
}

}  // namespace ulpfuzz::bench
