#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pieces.hpp"

namespace ulpfuzz::diagnosis {

/// Layers of a forward network that compute by a hypothesis: bit l of a pattern is layer l.
using Pattern = std::uint64_t;

/// All layers.
Pattern full_pattern(std::size_t layers);

/// Evaluates a network with some layers by one subject and everything else by another, for many
/// patterns of layers; patterns share the layers before the first in which they differ.
class Tree {
 public:
  Tree(const Pieces& pieces, std::span<const float* const> inputs,
       std::span<const std::size_t> rows);

  std::size_t rows() const { return values_.rows(); }
  std::size_t layers() const { return layers_.size(); }

  using Visit = std::function<void(Pattern, std::span<const float>)>;
  /// Visits the output [rows, width] of each of the patterns, in no special order. `to_the_next`:
  /// what follows a special product, up to the next one, is special too.
  void walk(const Subject& special, const Subject& plain, std::span<const Pattern> patterns,
            const Visit& visit, bool to_the_next = false);
  /// The output with everything by one subject.
  std::span<const float> whole(const Subject& subject);

 private:
  void segment(std::size_t layer, const Subject& product, const Subject& plain);
  void descend(std::size_t layer, std::vector<Pattern>& patterns);

  const Pieces& pieces_;
  Values values_;
  std::vector<NodeId> layers_;
  const Subject* special_ = nullptr;
  const Subject* after_special_ = nullptr;
  const Subject* plain_ = nullptr;
  const Visit* visit_ = nullptr;
};

}  // namespace ulpfuzz::diagnosis
