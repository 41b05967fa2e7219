#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "aligned_buffer.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// How a node reads an operand: its entry e is at data + e / repeat * stride.
template <class T>
struct View {
  const T* data;
  std::size_t stride;
  std::size_t repeat;
  const T* entry(std::size_t e) const { return data + e / repeat * stride; }
};

/// Where the values of a network's nodes lie during one evaluation in numbers of type T. In float,
/// inputs and parameters are read where the caller has them and outputs written where it wants
/// them; wider values stay wide until the outputs are rounded. Memory is reused between calls.
template <class T>
class Plan {
 public:
  using Number = T;

  void make(const Evaluation& evaluation) {
    network_ = &evaluation.network;
    batch_ = evaluation.batch;
    nodes_ = network_->nodes().data();
    const std::size_t count = network_->nodes().size();
    value_.assign(count, nullptr);
    offset_.resize(count);
    if constexpr (direct) claim_outputs(evaluation);
    std::size_t used = 0;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Node& n = nodes_[i];
      if (widens(n)) widest = std::max(widest, round_up<T>(expanded(n)));
      if (value_[i] != nullptr || borrows(n)) continue;
      offset_[i] = used;
      used += round_up<T>(elements(n));
    }
    T* const base = arena_.reserve(used + 2 * widest);
    scratch_[0] = base + used;
    scratch_[1] = base + used + widest;
    for (std::size_t i = 0; i < count; ++i) settle(evaluation, i, base);
  }

  const Node& node(NodeId id) const { return nodes_[id]; }
  std::size_t batch() const { return batch_; }
  std::size_t repeat() const { return network_->repeat(); }
  std::size_t entries(Axis axis) const {
    if (axis == Axis::shared) return 1;
    return axis == Axis::batch ? batch_ : batch_ * repeat();
  }
  std::size_t elements(const Node& n) const { return entries(n.axis) * n.shape.size(); }

  /// The value of a node: to be written by the node itself, read by others.
  T* result(NodeId id) const { return value_[id]; }
  const T* value(NodeId id) const { return value_[id]; }

  /// The operand as read by a node (or a sum) whose entries lie along `axis`.
  View<T> view(NodeId operand, Axis axis) const {
    const Node& n = nodes_[operand];
    if (n.axis == Axis::shared) return {value_[operand], 0, 1};
    const bool repeats = n.axis == Axis::batch && axis == Axis::repeated;
    return {value_[operand], n.shape.size(), repeats ? std::max<std::size_t>(1, repeat()) : 1};
  }

  /// The operand as a dense array of `shape` for each entry along `axis`: in place if it is one,
  /// else spread out in scratch memory `slot`.
  const T* dense(NodeId operand, Axis axis, Shape shape, int slot) const {
    const Node& n = nodes_[operand];
    const View<T> from = view(operand, axis);
    if ((n.axis == axis || (from.stride != 0 && from.repeat == 1)) && n.shape == shape)
      return from.data;
    T* to = scratch_[slot];
    const std::size_t step = n.shape.rows == shape.rows ? shape.cols : 0;
    const std::size_t count = entries(axis);
    for (std::size_t e = 0; e < count; ++e)
      for (std::size_t r = 0; r < shape.rows; ++r, to += shape.cols)
        std::copy_n(from.entry(e) + r * step, shape.cols, to);
    return scratch_[slot];
  }

  /// Rounds or copies what was not written in place.
  void write_outputs(const Evaluation& evaluation) const {
    const auto& outputs = network_->outputs();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const T* from = value_[outputs[o]];
      float* to = evaluation.outputs[o];
      const std::size_t count = elements(nodes_[outputs[o]]);
      if constexpr (direct) {
        if (from != to) std::copy_n(from, count, to);
      } else {
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
      }
    }
  }

  /// Nodes whose value is their operand's.
  bool aliases(const Node& n) const {
    return n.op == Op::reshape || (n.op == Op::sum_rows && nodes_[n.args[0]].shape.rows == 1);
  }

 private:
  static constexpr bool direct = std::is_same_v<T, float>;

  bool borrows(const Node& n) const {
    return aliases(n) || (direct && (n.op == Op::input || n.op == Op::parameter));
  }
  /// Ops whose operands may have to be spread out.
  static bool widens(const Node& n) {
    return n.op == Op::add || n.op == Op::mul || n.op == Op::outer_sum ||
           n.op == Op::softmax_grad || n.op == Op::layer_norm_grad || n.op == Op::rms_norm_grad;
  }
  std::size_t expanded(const Node& n) const {
    if (n.op != Op::outer_sum) return elements(n);
    const Node& a = nodes_[n.args[0]];
    const Node& b = nodes_[n.args[1]];
    return std::max(entries(a.axis), entries(b.axis)) * std::max(a.shape.size(), b.shape.size());
  }

  void claim_outputs(const Evaluation& evaluation) {
    const auto& outputs = network_->outputs();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      NodeId id = outputs[o];
      while (aliases(nodes_[id])) id = nodes_[id].args[0];
      if (!borrows(nodes_[id]) && value_[id] == nullptr) value_[id] = evaluation.outputs[o];
    }
  }

  void settle(const Evaluation& evaluation, std::size_t i, T* base) {
    const Node& n = nodes_[i];
    if (aliases(n)) {
      value_[i] = value_[n.args[0]];
    } else if (n.op == Op::input || n.op == Op::parameter) {
      const float* from = n.op == Op::input ? evaluation.inputs[n.index]
                                            : evaluation.parameters[n.index].data.data();
      if constexpr (direct) {
        value_[i] = const_cast<float*>(from);  // never written: its op has no kernel
      } else {
        value_[i] = base + offset_[i];
        std::copy_n(from, elements(n), value_[i]);
      }
    } else if (value_[i] == nullptr) {
      value_[i] = base + offset_[i];
    }
  }

  const Network* network_ = nullptr;
  const Node* nodes_ = nullptr;
  std::size_t batch_ = 0;
  std::vector<T*> value_;
  std::vector<std::size_t> offset_;
  AlignedBuffer<T> arena_;
  T* scratch_[2] = {nullptr, nullptr};
};

}  // namespace ulpfuzz
