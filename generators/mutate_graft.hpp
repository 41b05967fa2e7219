#pragma once

#include <functional>
#include <vector>

#include "builder.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// A case whose network is built once more, with something new in it. Numbers of old inputs and
/// parameters are remembered, those of new ones drawn.
class Regrown {
 public:
  Regrown(const Case& a, Source& source, const Limits& limits);

  Builder& builder() { return builder_; }
  const Network& network() { return builder_.plan().network; }
  /// Appends a node whose operands are in place; the numbers of a leaf are those of `numbers`.
  NodeId append(Node node, const Tensor* numbers);
  /// Of another shape: reshaped, or by a linear map; of a lesser shape where the limits do not
  /// allow for one.
  NodeId with_shape(NodeId x, Shape shape);

  /// The node of the new network that stands for a node of `a`.
  NodeId now(NodeId id) const { return now_[id]; }
  /// The case where insert(x) follows node `at`: its users have what insert gives instead. `a`
  /// where insert gives `x` itself or another shape than the users need.
  Case after(NodeId at, const std::function<NodeId(NodeId)>& insert);

 private:
  void remember(std::vector<const Tensor*>& list, std::size_t count, const Tensor* numbers);
  Case finished();

  const Case& a_;
  Source& source_;
  Limits limits_;
  Builder builder_;
  std::vector<NodeId> now_;
  std::vector<const Tensor*> parameters_, inputs_;  ///< nothing: new
};

}  // namespace ulpfuzz::generators
