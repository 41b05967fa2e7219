#include <algorithm>
#include <cmath>

#include "reveal.hpp"
#include "sum_arithmetic.hpp"

namespace ulpfuzz::probe {
namespace {

/// Roundings of sums and products on the longest way to the result.
std::uint32_t depth_of(const SumTree& tree, const SumArithmetic& found) {
  const bool products_round = found.fusion == Fusion::separate || found.fusion == Fusion::mixed ||
                              found.fusion == Fusion::fused;
  std::vector<std::uint32_t> depth(tree.nodes.size());
  for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
    const auto& children = tree.nodes[id].children;
    if (children.empty()) depth[id] = products_round && !found.fused[id] ? 1 : 0;
    for (const std::size_t c : children) depth[id] = std::max(depth[id], depth[c] + 1);
  }
  return depth[tree.root];
}

// With x = 1 + 2^-h, x x = 1 + 2^(1-h) + 2^-2h: the last term is what a rounded product loses, and
// -(1 + 2^(1-h)) as another term lays it bare.
void try_leaves(Site& site, const SumTree& tree, int h, SumArithmetic& found) {
  const float x = 1.0f + std::ldexp(1.0f, -h);
  const float c = -(1.0f + std::ldexp(1.0f, 1 - h));
  const std::vector<std::size_t> up = parents(tree);
  const auto is_product = [&](std::size_t id) {
    return tree.nodes[id].children.empty() &&
           !(site.has_bias() && tree.nodes[id].term == site.terms() - 1);
  };
  const auto shows = [&](std::size_t product, std::size_t other) {
    return site.ask({{tree.nodes[product].term, {x, x}}, {some_leaf(tree, other), {c, 1}}}) != 0;
  };
  std::size_t fused = 0;
  std::size_t tried = 0;
  for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
    const auto& siblings = tree.nodes[up[id]].children;
    if (!is_product(id) || id == tree.root || siblings.size() != 2) continue;
    const std::size_t other = siblings[0] == id ? siblings[1] : siblings[0];
    found.fused[id] = shows(id, other);
    if (is_product(other) && other < id) {  // of two products that meet, one is rounded first
      fused += !found.fused[other] && found.fused[id];
      continue;
    }
    ++tried;
    fused += found.fused[id];
  }
  if (tried == 0) return;
  found.fusion = fused == tried ? Fusion::fused : fused == 0 ? Fusion::separate : Fusion::mixed;
}

}  // namespace

void measure_fusion(Site& site, const SumTree& tree, SumArithmetic& found) {
  found.fused.assign(tree.nodes.size(), false);
  if (!tree.revealed) return;
  const int h = (found.sum_bits + 1) / 2;
  const int operand_bits = std::min(found.left.bits, found.right.bits);
  const bool exact = h > operand_bits - 1 || found.sum_bits == all_bits || found.unit.block > 0;
  if (site.multiplies() && found.split == Split::none && !exact)
    try_leaves(site, tree, h, found);
  else if (site.multiplies() && found.split == Split::none)
    found.fusion = Fusion::exact;
  found.depth = depth_of(tree, found);
}

}  // namespace ulpfuzz::probe
