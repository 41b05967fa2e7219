#include "pieces.hpp"

#include <algorithm>
#include <bit>

namespace ulpfuzz::probe {
namespace {

constexpr std::size_t no_term = ~std::size_t{0};

Piece piece_of(const SumTree& tree, std::size_t id, std::size_t left_out) {
  const SumTree::Node& node = tree.nodes[id];
  if (node.children.empty()) return {node.term, 1, {}};
  Piece all{0, 0, {}};
  for (const std::size_t child : node.children) {
    if (tree.nodes[child].children.empty() && tree.nodes[child].term == left_out) continue;
    all.parts.push_back(piece_of(tree, child, left_out));
    all.count += all.parts.back().count;
  }
  if (all.parts.size() == 1) {
    Piece only = std::move(all.parts.front());
    return only;
  }
  std::sort(all.parts.begin(), all.parts.end(),
            [](const Piece& a, const Piece& b) { return a.least < b.least; });
  all.least = all.parts.front().least;
  return all;
}

bool leaf(const Piece& piece) { return piece.parts.empty(); }

void collect(const Piece& piece, std::vector<Chain>& chains) {
  if (const auto c = chain(piece)) {
    chains.push_back(*c);
    return;
  }
  for (const Piece& part : piece.parts) collect(part, chains);
}

Piece relabel(const Piece& piece, const std::vector<Chain>& chains) {
  if (chain(piece)) {
    const auto at = std::find_if(chains.begin(), chains.end(),
                                 [&](const Chain& c) { return c.start == piece.least; });
    return {static_cast<std::size_t>(at - chains.begin()), 1, {}};
  }
  Piece all{0, 0, {}};
  for (const Piece& part : piece.parts) {
    all.parts.push_back(relabel(part, chains));
    all.count += all.parts.back().count;
  }
  all.least = all.parts.front().least;
  return all;
}

using Run = std::vector<std::size_t>;

std::optional<Run> run(const Piece& piece) {
  if (leaf(piece)) return Run{piece.least};
  if (piece.parts.size() != 2 || !leaf(piece.parts[1])) return std::nullopt;
  auto terms = run(piece.parts[0]);
  if (!terms || terms->back() >= piece.parts[1].least) return std::nullopt;
  terms->push_back(piece.parts[1].least);
  return terms;
}

/// Leaves that stand for runs, named by their first terms.
Piece collect_runs(const Piece& piece, std::vector<Run>& runs) {
  if (auto terms = run(piece)) {
    runs.push_back(std::move(*terms));
    return {runs.back().front(), 1, {}};
  }
  Piece all{piece.least, 0, {}};
  for (const Piece& part : piece.parts) {
    all.parts.push_back(collect_runs(part, runs));
    all.count += all.parts.back().count;
  }
  return all;
}

void rename_runs(Piece& piece, const std::vector<Run>& runs) {
  if (leaf(piece)) {
    const auto at = std::find_if(runs.begin(), runs.end(),
                                 [&](const Run& r) { return r.front() == piece.least; });
    piece.least = static_cast<std::size_t>(at - runs.begin());
    return;
  }
  for (Piece& part : piece.parts) rename_runs(part, runs);
  piece.least = piece.parts.front().least;
}

bool halves(const Piece& piece, bool left_power_of_two) {
  if (leaf(piece)) return true;
  if (piece.parts.size() != 2) return false;
  const std::size_t left =
      left_power_of_two ? std::bit_floor(piece.count - 1) : (piece.count + 1) / 2;
  const Piece& a = piece.parts[0];
  const Piece& b = piece.parts[1];
  return a.count == left && b.least == a.least + left && halves(a, left_power_of_two) &&
         halves(b, left_power_of_two);
}

}  // namespace

Piece pieces(const SumTree& tree) {
  return piece_of(tree, tree.root, tree.bias ? leaves(tree) - 1 : no_term);
}

std::optional<Chain> chain(const Piece& piece) {
  if (leaf(piece)) return Chain{piece.least, 0, 1};
  if (piece.parts.size() != 2 || !leaf(piece.parts[1])) return std::nullopt;
  auto c = chain(piece.parts[0]);
  if (!c) return std::nullopt;
  const std::size_t stride = piece.parts[1].least - (c->start + c->stride * (c->count - 1));
  if (c->count > 1 && stride != c->stride) return std::nullopt;
  return Chain{c->start, stride, c->count + 1};
}

bool sequential(const Piece& piece) {
  const auto c = chain(piece);
  return c && c->stride <= 1;
}

bool reversed(const Piece& piece) {
  const Piece* at = &piece;
  while (at->parts.size() == 2 && leaf(at->parts[0]) && at->parts[1].least == at->least + 1)
    at = &at->parts[1];
  return leaf(*at);
}

bool pairwise(const Piece& piece) { return halves(piece, true) || halves(piece, false); }

bool folded(const Piece& piece, std::size_t start, std::size_t step) {
  if (leaf(piece)) return piece.least == start;
  return piece.parts.size() == 2 && piece.parts[0].count == piece.parts[1].count &&
         folded(piece.parts[0], start, 2 * step) && folded(piece.parts[1], start + step, 2 * step);
}

bool same_shape(const Piece& a, const Piece& b) {
  if (a.count != b.count || a.parts.size() != b.parts.size()) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (a.parts[i].least - a.least != b.parts[i].least - b.least ||
        !same_shape(a.parts[i], b.parts[i]))
      return false;
  return true;
}

Piece over_chains(const Piece& piece, std::vector<Chain>& chains) {
  chains.clear();
  collect(piece, chains);
  std::sort(chains.begin(), chains.end(),
            [](const Chain& a, const Chain& b) { return a.start < b.start; });
  return relabel(piece, chains);
}

Piece over_runs(const Piece& piece, std::vector<std::vector<std::size_t>>& runs) {
  runs.clear();
  Piece all = collect_runs(piece, runs);
  std::sort(runs.begin(), runs.end());
  rename_runs(all, runs);
  return all;
}

std::vector<const Piece*> spine(const Piece& piece) {
  std::vector<const Piece*> added;
  const Piece* at = &piece;
  for (; at->parts.size() == 2; at = &at->parts[0]) added.push_back(&at->parts[1]);
  added.push_back(at);
  std::reverse(added.begin(), added.end());
  return added;
}

}  // namespace ulpfuzz::probe
