#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {

/// A sum as it is described: a term, or parts that are added (more than two: at once).
struct Piece {
  std::size_t least = 0;  ///< of its terms; its term if it has no parts
  std::size_t count = 1;
  std::vector<Piece> parts;  ///< by their least term
};

/// Terms start, start + stride, ..; added in that order.
struct Chain {
  std::size_t start = 0;
  std::size_t stride = 0;
  std::size_t count = 1;
};

/// The tree without its bias.
Piece pieces(const SumTree& tree);

std::optional<Chain> chain(const Piece& piece);
/// Is it the whole chain 0, 1, .. or start, start + 1, ..?
bool sequential(const Piece& piece);
bool reversed(const Piece& piece);
/// Neighbours first: halves, the left one a power of two or as long as the right one.
bool pairwise(const Piece& piece);
/// i with i + n/2 first, then what is n/4 apart, ..
bool folded(const Piece& piece, std::size_t start, std::size_t step);
bool same_shape(const Piece& a, const Piece& b);

/// Replaces maximal chains by leaves 0, 1, .. (by their starts) and lists the chains.
Piece over_chains(const Piece& piece, std::vector<Chain>& chains);

/// Replaces maximal runs (a term, then others one by one, each later than the one before) by leaves
/// 0, 1, .. by their first terms, and lists the terms of each.
Piece over_runs(const Piece& piece, std::vector<std::vector<std::size_t>>& runs);

/// The left spine: the innermost part first, then what is added to it, in order.
std::vector<const Piece*> spine(const Piece& piece);

}  // namespace ulpfuzz::probe
