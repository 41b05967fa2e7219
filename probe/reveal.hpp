#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "site.hpp"
#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {

/// The order in which the site adds its terms. Takes of the order of n log n calls for n terms,
/// then checks the tree against pairs that it was not built from. Throws SubjectFault.
SumTree reveal(Site& site, std::uint64_t seed);

/// Why a tree is not revealed: calls disagree; or counts do (what follows says which).
inline constexpr std::string_view other_bits = "the same call gives other bits from run to run";
inline constexpr std::string_view no_tree = "counts fit no tree: ";

/// Does the same call give the same bits, five times? A subject that does not claim so is asked
/// more often, with more vectors.
bool repeats_itself(Site& site);

/// The first term whose 1 alone does not come out as 1, if any: then the site is no sum of its
/// terms.
std::optional<std::size_t> lost_term(Site& site);

/// Size of the smallest subtree that holds both terms.
std::size_t meeting_size(const SumTree& tree, std::size_t i, std::size_t j);

/// Of each node: the node that adds it; the root's own id for the root.
std::vector<std::size_t> parents(const SumTree& tree);

/// A term that the node adds: the one that is reached by its first children.
std::size_t some_leaf(const SumTree& tree, std::size_t id);

}  // namespace ulpfuzz::probe
