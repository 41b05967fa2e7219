#include <fmt/format.h>

#include <algorithm>

#include "pieces.hpp"
#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr std::size_t longest_text = 240;

std::string words(const Piece& piece);

std::string in_brackets(const Piece& piece, bool outer) {
  if (piece.parts.empty()) return std::to_string(piece.least);
  const auto c = chain(piece);
  if (c && c->count > 3)
    return c->stride == 1 ? fmt::format("[{}..{}]", c->start, c->start + c->count - 1)
                          : fmt::format("[{},{}..{}]", c->start, c->start + c->stride,
                                        c->start + c->stride * (c->count - 1));
  std::string text;
  for (const Piece& part : piece.parts)
    text += fmt::format("{}{}", text.empty() ? "" : "+", in_brackets(part, false));
  return outer ? text : fmt::format("({})", text);
}

std::size_t depth_of(const Piece& piece) {
  std::size_t depth = 0;
  for (const Piece& part : piece.parts) depth = std::max(depth, depth_of(part) + 1);
  return depth;
}

/// Nothing where it would be too long to read.
std::string brackets(const Piece& piece) {
  std::string text = in_brackets(piece, true);
  return text.size() <= longest_text ? text : "";
}

/// How `of` results are added, as a clause.
std::string added(const Piece& piece, std::string_view of) {
  if (sequential(piece)) return "added in turn";
  if (pairwise(piece)) return "added pairwise";
  if (folded(piece, 0, 1)) return "folded in halves";
  if (reversed(piece)) return "added from the last";
  const std::string text = brackets(piece);
  return text.empty() ? fmt::format("{} added in a tree of depth {}", of, depth_of(piece))
                      : fmt::format("{} added as {}", of, text);
}

/// "2 contiguous parts of 48 and 16 terms"; empty if the chains are no contiguous parts.
std::string contiguous(const std::vector<Chain>& chains) {
  constexpr std::size_t most_listed = 6;
  std::vector<std::size_t> sizes;
  std::size_t next = 0;
  for (const Chain& c : chains) {
    if (c.start != next || c.stride != 1) return {};
    sizes.push_back(c.count);
    next += c.count;
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  std::string text = fmt::format("{} contiguous parts of ", sizes.size());
  if (*least == *most) return text + fmt::format("{} terms", *most);
  if (sizes.size() > most_listed) return text + fmt::format("{} to {} terms", *least, *most);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == sizes.size() ? " and " : ", ", sizes[i]);
  return text + " terms";
}

/// Chains that take terms by turns, or contiguous ones.
std::string accumulators(const Piece& piece) {
  std::vector<Chain> chains;
  const Piece top = over_chains(piece, chains);
  const std::size_t m = chains.size();
  if (m < 2 || chains.front().count < 2) return {};
  bool interleaved = true;
  for (std::size_t i = 0; i < m; ++i)
    interleaved =
        interleaved && chains[i].start == i && (chains[i].count == 1 || chains[i].stride == m);
  if (interleaved) return fmt::format("{} interleaved accumulators, {}", m, added(top, "these"));
  const std::string text = contiguous(chains);
  return text.empty() ? text : fmt::format("{}, {}", text, added(top, "these"));
}

/// Accumulators that take blocks of terms by turns: number j of m the terms i with
/// floor((i mod m b) / b) = j, one after the other.
std::string by_blocks(const Piece& piece) {
  std::vector<std::vector<std::size_t>> runs;
  const Piece top = over_runs(piece, runs);
  const std::size_t m = runs.size();
  if (m < 2) return {};
  std::size_t block = 1;
  while (block < runs[0].size() && runs[0][block] == block) ++block;
  const std::size_t period = m * block;
  if (block < 2 || piece.count <= period) return {};
  std::vector<std::vector<std::size_t>> expected(m);
  for (std::size_t i = 0; i < piece.count; ++i) expected[i % period / block].push_back(i);
  if (runs != expected) return {};
  return fmt::format("{} interleaved accumulators of blocks of {} terms, {}", m, block,
                     added(top, "these"));
}

/// A matmul unit: blocks of contiguous terms, added to the sum at once.
std::string unit(const Piece& piece) {
  std::size_t block = 0;
  for (const Piece* at = &piece;;) {
    const bool grows = !at->parts.empty() && !at->parts[0].parts.empty();
    const std::size_t own = at->parts.size() - (grows ? 1 : 0);
    for (std::size_t i = grows ? 1 : 0; i < at->parts.size(); ++i)
      if (!at->parts[i].parts.empty()) return {};
    // Only the last block, the outermost one, may be shorter.
    if (at != &piece && block != 0 && own < block && grows) return {};
    block = std::max(block, own);
    if (!grows) break;
    at = &at->parts[0];
  }
  if (block < 2 || (block == 2 && piece.count > 3)) return {};
  if (piece.count == block) return fmt::format("{} terms at once (matmul unit)", block);
  return fmt::format("blocks of {} (matmul unit), sequential", block);
}

/// Is it a contiguous continuation of what ends before `next`, of the shape of `block`, or the last
/// one and shorter?
bool continues(const Piece& part, std::size_t next, const Piece& block, bool last) {
  return part.least == next && (same_shape(part, block) || (last && part.count < block.count));
}

/// A sum of contiguous blocks of one shape: the first is somewhere on the left spine, or the first
/// term stands alone before them.
std::string in_blocks(const Piece& piece) {
  std::vector<const Piece*> added;  // outermost first
  for (const Piece* at = &piece; at->parts.size() == 2; at = &at->parts[0]) {
    added.push_back(&at->parts[1]);
    const Piece& first = at->parts[0];
    const bool alone = first.parts.empty();
    const Piece& block = alone ? *added.back() : first;
    if (first.least != 0 || added.size() < 2 || block.parts.empty()) continue;
    std::size_t next = first.count;
    bool fits = true;
    for (std::size_t i = added.size(); i > 0 && fits; next += added[--i]->count)
      fits = continues(*added[i - 1], next, block, i == 1);
    if (!fits) continue;
    const std::string inner = words(block);
    if (inner.empty()) return {};
    return fmt::format("{}blocks of {} terms ({}), added in turn",
                       alone ? "the first term, then " : "", block.count, inner);
  }
  return {};
}

/// A core and a few last terms, or blocks.
std::string in_turn(const Piece& piece) {
  const auto added_up = spine(piece);
  if (added_up.size() < 2) return {};
  std::size_t tail = 0;
  while (tail + 1 < added_up.size() && added_up[added_up.size() - 1 - tail]->parts.empty()) ++tail;
  if (tail > 0) {
    const Piece* core = &piece;
    for (std::size_t i = 0; i < tail; ++i) core = &core->parts[0];
    const std::string inner = words(*core);
    return inner.empty() ? inner
                         : fmt::format("{}; then the last {} in turn", inner,
                                       tail == 1 ? "term" : fmt::format("{} terms", tail));
  }
  return in_blocks(piece);
}

std::string words(const Piece& piece) {
  if (sequential(piece)) return "sequential";
  if (reversed(piece)) return "sequential from the last term";
  if (std::string text = unit(piece); !text.empty()) return text;
  if (pairwise(piece)) return "pairwise";
  if (std::string text = accumulators(piece); !text.empty()) return text;
  if (std::string text = by_blocks(piece); !text.empty()) return text;
  return in_turn(piece);
}

/// Where the bias joins: with a term (the accumulator starts at it), last, or on the way.
std::string bias_place(const SumTree& tree) {
  const std::size_t bias = leaves(tree) - 1;
  std::vector<std::size_t> size(tree.nodes.size(), 1);
  for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
    const auto& children = tree.nodes[id].children;
    if (children.empty()) continue;
    size[id] = 0;
    bool here = false;
    bool only_leaves = true;
    for (const std::size_t c : children) {
      size[id] += size[c];
      here = here || (tree.nodes[c].children.empty() && tree.nodes[c].term == bias);
      only_leaves = only_leaves && tree.nodes[c].children.empty();
    }
    if (!here) continue;
    if (only_leaves && leaves(tree) > 2) return "bias first";
    if (id == tree.root) return "bias last";
    return fmt::format("bias after {} terms", size[id] - 1);
  }
  return {};
}

}  // namespace

std::size_t leaves(const SumTree& tree) {
  return static_cast<std::size_t>(std::count_if(tree.nodes.begin(), tree.nodes.end(),
                                                [](const auto& n) { return n.children.empty(); }));
}

std::string describe(const SumTree& tree) {
  if (!tree.revealed) return "could not be told: " + tree.why;
  const Piece all = pieces(tree);
  std::string text = words(all);
  if (text.empty()) text = brackets(all);
  if (text.empty())
    text = fmt::format("no usual order: a tree of depth {} (see its drawing)", depth_of(all));
  if (tree.fusion == Fusion::fused) text += ", FMA";
  if (tree.fusion == Fusion::mixed) text += ", partly FMA";
  if (tree.bias) text += ", " + bias_place(tree);
  return text;
}

}  // namespace ulpfuzz::probe
