#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {
namespace {

// Where element i of entry e comes from: operand and element of its entry; false for zeros.
struct Source {
  std::size_t operand = 0, element = 0;
  bool there = true;
};

Source source_of(const TypicalNode& n, std::size_t e, std::size_t i) {
  const std::size_t r = i / n.y().cols, j = i % n.y().cols;
  const std::size_t cols = n.operand(0).cols;
  switch (n.node.op) {
    case Op::concat:
      return j < cols ? Source{0, r * cols + j} : Source{1, r * n.operand(1).cols + j - cols};
    case Op::slice:
      return {0, r * cols + n.node.index + j};
    case Op::pad:
      return {0, r * cols + j - n.node.index, j >= n.node.index && j < n.node.index + cols};
    case Op::unit_tangents: {
      const std::size_t t = e % n.network.repeat();
      return {0, r * cols + t % cols, j == t / cols};
    }
    default:
      return {0, i};
  }
}

}  // namespace

void typical_move(const TypicalNode& n, Variances& v) {
  const Value& y = n.y();
  for (std::size_t e = 0; e < y.entries; ++e)
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Source s = source_of(n, e, i);
      if (s.there)
        v.total[n.id][e * y.size() + i] =
            v.total[n.node.args[s.operand]][n.offset(s.operand, e) + s.element];
    }
}

}  // namespace ulpfuzz::bounds
