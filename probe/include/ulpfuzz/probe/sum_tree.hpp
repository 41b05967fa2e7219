#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ulpfuzz::probe {

/// How products join a sum: each by two roundings (its own first), by one (FMA), or some by two and
/// some by one (`mixed`). `exact`: products fit the accumulator, so that nothing could show a
/// difference. `unseen`: no vector told.
enum class Fusion : std::uint8_t { unseen, separate, fused, mixed, exact };

/// The order of a sum as a tree over terms 0..n-1, as it was revealed.
struct SumTree {
  struct Node {
    /// Ids of nodes; more than two: added at once (a matmul unit).
    std::vector<std::size_t> children;
    std::size_t term = 0;  ///< of a leaf, which has no children
  };
  std::vector<Node> nodes;  ///< children before parents; children by their least term
  std::size_t root = 0;
  bool bias = false;  ///< the last term is the bias
  Fusion fusion = Fusion::unseen;
  bool revealed = false;  ///< false: the order could not be told; `why` says the reason
  std::string why;
};

/// Number of terms.
std::size_t leaves(const SumTree& tree);

/// "((0+4)+(1+5))+((2+6)+(3+7))", or words where they say it shorter: "sequential", "pairwise", "8
/// interleaved accumulators, added pairwise", "blocks of 4 (matmul unit), sequential"; then "FMA"
/// and the place of the bias.
std::string describe(const SumTree& tree);

/// A drawing of the tree, terms as leaves: one self-contained SVG file, for light and dark.
std::string to_svg(const SumTree& tree, const std::string& title);

}  // namespace ulpfuzz::probe
