#include "tree.hpp"

#include <algorithm>

#include "ulpfuzz/network/layered_arithmetic.hpp"

namespace ulpfuzz::diagnosis {
namespace {

bool computed(const Node& node) { return node.op != Op::input && node.op != Op::parameter; }

}  // namespace

Pattern full_pattern(std::size_t layers) {
  return layers == 0 ? 1 : layers >= 64 ? ~Pattern{0} : (Pattern{1} << layers) - 1;
}

Tree::Tree(const Pieces& pieces, std::span<const float* const> inputs,
           std::span<const std::size_t> rows)
    : pieces_(pieces), values_(pieces, inputs, rows) {
  const auto marks = layers_of(pieces.network(), pieces.network());
  for (NodeId id = 0; id < marks.size(); ++id)
    if (marks[id]) layers_.push_back(id);
}

void Tree::segment(std::size_t layer, const Subject& product, const Subject& plain) {
  // Segment 0 is what comes before the first layer; segment l + 1 begins with layer l.
  const auto end = static_cast<NodeId>(layer < layers_.size() ? layers_[layer]
                                                              : pieces_.network().nodes().size());
  for (NodeId id = layer == 0 ? 0 : layers_[layer - 1]; id < end; ++id) {
    if (!computed(pieces_.network().node(id))) continue;
    const bool first = layer > 0 && id == layers_[layer - 1];
    values_.compute(id, pieces_, first ? product : plain);
  }
}

void Tree::descend(std::size_t layer, std::vector<Pattern>& patterns) {
  if (layer == layers_.size()) {
    const auto output = values_.of(pieces_.network().outputs().front());
    for (const Pattern p : patterns) (*visit_)(p, output);
    return;
  }
  const auto split = std::partition(patterns.begin(), patterns.end(),
                                    [&](Pattern p) { return (p >> layer & 1) == 0; });
  std::vector<Pattern> special(split, patterns.end());
  patterns.erase(split, patterns.end());
  if (!patterns.empty()) {
    segment(layer + 1, *plain_, *plain_);
    descend(layer + 1, patterns);
  }
  if (!special.empty()) {
    segment(layer + 1, *special_, *after_special_);
    descend(layer + 1, special);
  }
}

void Tree::walk(const Subject& special, const Subject& plain, std::span<const Pattern> patterns,
                const Visit& visit, bool to_the_next) {
  special_ = &special;
  after_special_ = to_the_next ? &special : &plain;
  plain_ = &plain;
  visit_ = &visit;
  std::vector<Pattern> wanted(patterns.begin(), patterns.end());
  segment(0, plain, plain);
  descend(0, wanted);
}

std::span<const float> Tree::whole(const Subject& subject) {
  for (std::size_t layer = 0; layer <= layers_.size(); ++layer) segment(layer, subject, subject);
  return values_.of(pieces_.network().outputs().front());
}

}  // namespace ulpfuzz::diagnosis
