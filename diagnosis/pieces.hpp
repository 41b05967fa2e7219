#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::diagnosis {

/// A forward network taken apart, each node a network of its own, so that evaluations that have
/// their first layers in common need not repeat them.
class Pieces {
 public:
  /// `swap_gelu`: the erf form for the tanh form, and the other way round.
  Pieces(const Network& network, std::span<const Tensor> parameters, bool swap_gelu);

  struct Piece {
    Network network;
    std::vector<Tensor> parameters;
    std::vector<NodeId> inputs;  ///< nodes that its inputs stand for
    std::vector<NodeId> shared;  ///< nodes that its parameters stand for
  };
  const Piece& piece(NodeId id) const { return pieces_[id]; }
  const Network& network() const { return network_; }
  std::span<const Tensor> parameters() const { return parameters_; }

 private:
  const Network& network_;
  std::span<const Tensor> parameters_;
  std::vector<Piece> pieces_;
};

/// The values of all nodes for some rows of the inputs.
class Values {
 public:
  /// `inputs` as in Evaluation; `rows` are those of it that are evaluated.
  Values(const Pieces& pieces, std::span<const float* const> inputs,
         std::span<const std::size_t> rows);

  std::size_t rows() const { return rows_; }
  /// Computes a node from its operands, which have been computed.
  void compute(NodeId id, const Pieces& pieces, const Subject& subject);
  std::span<const float> of(NodeId id) const { return values_[id]; }

 private:
  std::size_t rows_;
  std::vector<std::vector<float>> values_;
  std::vector<Tensor> tensors_;
  std::vector<const float*> inputs_;
};

}  // namespace ulpfuzz::diagnosis
