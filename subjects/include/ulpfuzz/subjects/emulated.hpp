#pragma once

#include <cstdint>
#include <string>

#include "ulpfuzz/network/layered_arithmetic.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// How an emulated evaluation adds the terms of a dot product or sum. A matmul unit adds its blocks
/// in the order of the terms, whatever `order` says. Accumulators start at +0. The product of two
/// split operands is added a product of pieces at a time, the smallest pieces first.
struct Summation {
  enum class Order : std::uint8_t {
    sequential,  ///< first to last
    reversed,    ///< last to first
    /// Halves, recursively; the left one is the larger power of two. Two terms are added in order.
    pairwise,
    lanes  ///< term i goes to accumulator i mod `lanes`; these are then added pairwise
  };
  Order order = Order::sequential;
  std::uint32_t lanes = 8;
  bool fused = false;       ///< products are added by FMA; only where accumulate is fp32
  bool bias_first = false;  ///< the bias is where the first accumulator starts, else added last

  bool operator==(const Summation&) const = default;
};

/// One evaluation, down to the last bit.
struct Emulation {
  LayeredArithmetic arithmetic{};  ///< conversions, splits, units, partial sums and stores are done
  Summation summation{};
  bool fast_exp = false;   ///< exp(x) is 2^(x log2 e), the product rounded to fp32, as in __expf
  bool fast_tanh = false;  ///< tanh with a relative error of about 2^-11
};

/// Evaluates any network, forward or derivative, in an arithmetic and order given to the last bit:
/// a model of machines that are not at hand, to predict what they give. Exactly that arithmetic is
/// also what it claims.
///
/// Partial sums are those of contiguous, equal parts (the first ones longer where it does not
/// divide), added first to last. Each product, sum and function is rounded to `accumulate` once;
/// so is a bias; inputs and parameters are not, where they are only passed on. Sums inside of
/// softmax and norms run from left to right. A unit rounds the exact sum of a block to
/// `accumulate`, to nearest, where that is narrower than fp32. `keep` does not touch ops that only
/// move elements. Subnormals are flushed in operands and results of every op, and at every step of
/// a sum. Conversions that overflow give infinity, so that pieces of such a number are NaN.
class Emulated final : public Subject {
 public:
  /// Throws std::invalid_argument for 0 lanes and for a matmul unit with less than 1 or more than
  /// 28 fractional bits.
  Emulated(std::string name, Emulation emulation);

  std::string_view name() const override { return name_; }
  std::string description() const override;
  Arithmetic arithmetic() const override { return emulation_.arithmetic.everywhere; }
  void evaluate(const Evaluation& evaluation) const override;

  /// For a network other than the last one: the nodes that have an arithmetic of their own.
  void set(Emulation emulation);

 private:
  std::string name_;
  Emulation emulation_;
};

}  // namespace ulpfuzz
