#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "draft.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

using Edits = std::vector<Edit>;

// The passes, in their order. Their edits hold what they need to know, never tensors: a case is
// copied when an edit is applied.
void simple_policy(const Case& c, const Focus& focus, Edits& edits);
void truncated_suffix(const Case& c, const Focus& focus, Edits& edits);
void frozen_prefix(const Case& c, const Focus& focus, Edits& edits);
void single_ops(const Case& c, const Focus& focus, Edits& edits);
void deleted_ops(const Case& c, const Focus& focus, Edits& edits);
void fewer_rows(const Case& c, const Focus& focus, Edits& edits);
void simpler_splits(const Case& c, const Focus& focus, Edits& edits);
void fewer_outputs(const Case& c, const Focus& focus, Edits& edits);
void smaller_widths(const Case& c, const Focus& focus, Edits& edits);
void traded_features(const Case& c, const Focus& focus, Edits& edits);
void simpler_ops(const Case& c, const Focus& focus, Edits& edits);
void whole_tensors(const Case& c, const Focus& focus, Edits& edits);
void zeroed_parts(const Case& c, const Focus& focus, Edits& edits);
void rounded_numbers(const Case& c, const Focus& focus, Edits& edits);
void paired_numbers(const Case& c, const Focus& focus, Edits& edits);
void simpler_layout(const Case& c, const Focus& focus, Edits& edits);

inline bool is_leaf(const Node& node) { return node.op == Op::input || node.op == Op::parameter; }
/// "linear 3"
std::string label(const Network& network, NodeId id);
/// How often each node is an operand.
std::vector<std::uint32_t> uses(const Network& network);
/// Whether the network has a node less once `id` needs its operands no more.
bool frees_operand(const Network& network, NodeId id, const std::vector<std::uint32_t>& uses);

/// How many edits of a network of so many nodes may be tried out while the list is made.
std::size_t affordable(std::size_t nodes);

/// Adds what `alter` makes of the network, tried out at once; false where it cannot be.
template <class Alter>
bool offer_now(Edits& edits, const Case& c, std::string name, Alter alter) {
  Draft draft(c.network);
  alter(draft);
  draft.settle();
  auto masks = draft.no_masks();
  if (!draft.close(masks)) return false;
  auto kept = std::make_shared<const Draft>(std::move(draft));
  edits.push_back(
      {std::move(name), [&c, kept, masks = std::move(masks)] { return kept->apply(c, masks); }});
  return true;
}

/// The same for what always can be: it is made when it is applied.
template <class Alter>
void offer_later(Edits& edits, const Case& c, std::string name, Alter alter) {
  edits.push_back({std::move(name), [&c, alter] {
                     Draft draft(c.network);
                     alter(draft);
                     draft.settle();
                     auto masks = draft.no_masks();
                     draft.close(masks);
                     return draft.apply(c, masks);
                   }});
}

/// Calls f(first, last) for the pieces of [0, n) of at least two indices: halves, quarters, down to
/// n / `finest`. Each piece lies in one of those before; none comes twice.
template <class F>
void pieces(std::uint32_t n, std::uint32_t finest, F f) {
  for (std::uint64_t parts = 2; parts <= finest; parts *= 2) {
    for (std::uint64_t i = 0; i < parts; ++i) {
      const auto first = static_cast<std::uint32_t>(n * i / parts);
      const auto last = static_cast<std::uint32_t>(n * (i + 1) / parts);
      if (last - first >= 2) f(first, last);
    }
  }
}

/// The pieces of [0, n), then single indices: the last, the first, all of up to `singles`. Dropping
/// such parts one after the other ends at a threshold exactly.
template <class F>
void chunks(std::uint32_t n, std::uint32_t finest, std::uint32_t singles, F f) {
  if (n < 2) return;
  pieces(n, finest, f);
  f(n - 1, n);
  for (std::uint32_t i = 0; i + 1 < (n <= singles ? n : 2); ++i) f(i, i + 1);
}

/// Sizes below n to try, the smallest two first, then by bisection from n / 2 up, so that a
/// threshold is found in few steps, then those at which kernels change, and one less.
std::vector<std::uint32_t> smaller_sizes(std::uint32_t n);

}  // namespace ulpfuzz::generators
