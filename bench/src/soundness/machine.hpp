#pragma once

#include <span>
#include <vector>

#include "soundness/activations.hpp"
#include "soundness/rows.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bench {

/// Evaluates networks, forward and derivative, as some legal machine might. N: float for fp32,
/// double for fp64, Narrow for less, long double for a reference that does not round to speak of.
template <class N>
class Machine {
 public:
  Machine(const LayeredArithmetic& arithmetic, const Style& style)
      : layered_(arithmetic), style_(style), random_(style.seed), dots_(style) {}

  void run(const Network& network, std::span<const Tensor> parameters, std::size_t batch,
           std::span<const float* const> inputs);

  std::span<const N> values(NodeId id) const { return values_[id]; }
  /// As an output: rounded to the store format.
  double stored(NodeId id, std::size_t i) const;
  std::size_t depth() const { return dots_.depth(); }

 private:
  using Numbers = std::vector<N>;

  void evaluate(NodeId id);
  void products(const Node& n, Numbers& y);
  void batch_products(const Node& n, Numbers& y);
  void binary(const Node& n, Numbers& y);
  void activations(const Node& n, Numbers& y);
  void rows(const Node& n, Numbers& y);
  template <class M>
  void rows_in(const Node& n, Dots<M>& dots, Numbers& y);
  void sums(const Node& n, Numbers& y);
  void moves(const Node& n, Numbers& y);
  void keep(Numbers& y) const;
  /// How one element of a product is computed, `outer` or not; anew for each, where it is mixed.
  const Arithmetic& product(bool outer);

  const Node& arg(const Node& n, std::size_t k) const { return network_->node(n.args[k]); }
  // Entry of operand k that entry e of `n` reads.
  const N* entry(const Node& n, std::size_t k, std::size_t e) const {
    const Node& node = arg(n, k);
    if (node.axis == Axis::shared) e = 0;
    if (node.axis == Axis::batch && n.axis == Axis::repeated) e /= network_->repeat();
    return values_[n.args[k]].data() + e * node.shape.size();
  }
  std::size_t entries(const Node& n) const { return network_->entries(n, batch_); }

  const LayeredArithmetic& layered_;
  Style style_;
  Random random_;
  Dots<N> dots_;
  Arithmetic how_;               ///< of the node at hand
  Arithmetic plain_;             ///< of its products in plain fp32
  std::size_t plain_share_ = 0;  ///< so many of them in four
  const Network* network_ = nullptr;
  std::size_t batch_ = 0;
  std::vector<Numbers> values_;
  Numbers a_, b_;
};

extern template class Machine<float>;
extern template class Machine<double>;
extern template class Machine<long double>;
extern template class Machine<Narrow>;

}  // namespace ulpfuzz::bench
