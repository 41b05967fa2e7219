#include "ulpfuzz/subjects/emulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../aligned_buffer.hpp"
#include "../walk.hpp"
#include "convert.hpp"
#include "functions.hpp"
#include "product.hpp"

namespace ulpfuzz {
namespace {

// The walker's kernels. One object an evaluation: it remembers the node it is at.
class EmulatedKernels {
 public:
  explicit EmulatedKernels(const Emulation& emulation) : emulation_(emulation) {}

  void visit(NodeId id) const { arithmetic_ = &emulation_.arithmetic.at(id); }

  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const {
    multiply({rows, k, n, x, k, 1, weight, 1, k, bias, y, n}, true);
    finish(rows * n, y);
  }
  void matmul(const MatmulCall& c, const float* a, const float* b, float* y) const {
    emulated::Product t{.m = c.m,
                        .k = c.k,
                        .n = c.n,
                        .a = a,
                        .a_row = c.transpose_a ? 1 : c.k,
                        .a_step = c.transpose_a ? c.m : 1,
                        .b = b,
                        .b_step = c.transpose_b ? 1 : c.n,
                        .b_column = c.transpose_b ? c.k : 1,
                        .bias = nullptr,
                        .y = y,
                        .ldy = c.n};
    std::size_t entries = c.entries;
    if (c.b_stride == 0 && c.a_stride != 0 && c.a_repeat == 1 && !c.transpose_a) {
      t.m *= entries;  // rows follow each other
      entries = 1;
    }
    for (std::size_t e = 0; e < entries; ++e, t.y += c.m * c.n) {
      t.a = a + e / c.a_repeat * c.a_stride;
      t.b = b + e / c.b_repeat * c.b_stride;
      multiply(t, c.k != 1 || arithmetic_->outer_by_matmul);
    }
    finish(c.entries * c.m * c.n, y);
  }
  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const {
    multiply({n, rows, k, a, 1, n, b, k, 1, nullptr, y, k},
             rows != 1 || arithmetic_->outer_by_matmul);
    finish(n * k, y);
  }
  void sum(const float* x, std::size_t rows, std::size_t n, float* y) const {
    emulated::sum(x, rows, n, *arithmetic_, emulation_.summation, y);
    finish(n, y);
  }
  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const {
    emulated::activation(functions(), phi, alpha, read(0, x, count), count, y);
    finish(count, y);
  }
  void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const {
    emulated::derivative(functions(), phi, alpha, read(0, x, count), count, y);
    finish(count, y);
  }
  void add(const float* a, const float* b, std::size_t count, float* y) const {
    emulated::add(arithmetic_->accumulate, read(0, a, count), read(1, b, count), count, y);
    finish(count, y);
  }
  void mul(const float* a, const float* b, std::size_t count, float* y) const {
    emulated::multiply(arithmetic_->accumulate, read(0, a, count), read(1, b, count), count, y);
    finish(count, y);
  }
  void softmax(const float* x, std::size_t rows, std::size_t n, float* y) const {
    emulated::softmax(functions(), read(0, x, rows * n), rows, n, y);
    finish(rows * n, y);
  }
  void layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n, float* y) const {
    norm(Op::layer_norm, nullptr, x, epsilon, rows, n, y);
  }
  void rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n, float* y) const {
    norm(Op::rms_norm, nullptr, x, epsilon, rows, n, y);
  }
  void softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                    float* y) const {
    emulated::softmax_grad(arithmetic_->accumulate, read(0, v, rows * n), read(1, s, rows * n),
                           rows, n, y);
    finish(rows * n, y);
  }
  void layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                       std::size_t n, float* y) const {
    norm(Op::layer_norm_grad, v, x, epsilon, rows, n, y);
  }
  void rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows, std::size_t n,
                     float* y) const {
    norm(Op::rms_norm_grad, v, x, epsilon, rows, n, y);
  }

 private:
  emulated::Functions functions() const {
    return {arithmetic_->accumulate, emulation_.fast_exp, emulation_.fast_tanh};
  }
  void multiply(const emulated::Product& product, bool by_unit) const {
    emulated::multiply(product, *arithmetic_, emulation_.summation, by_unit);
  }
  void norm(Op op, const float* v, const float* x, float epsilon, std::size_t rows, std::size_t n,
            float* y) const {
    emulated::norm(arithmetic_->accumulate, op, read(0, v, rows * n), read(1, x, rows * n), epsilon,
                   rows, n, y);
    finish(rows * n, y);
  }
  // An operand as the arithmetic sees it: where it takes subnormals for zeros, a copy.
  const float* read(std::size_t slot, const float* x, std::size_t count) const {
    if (!arithmetic_->flushes_subnormals || x == nullptr) return x;
    thread_local AlignedBuffer<float> copies[2];
    float* const copy = copies[slot].reserve(count);
    std::copy_n(x, count, copy);
    emulated::flush_subnormals(copy, count);
    return copy;
  }
  void finish(std::size_t count, float* y) const {
    emulated::round_to(y, count, arithmetic_->keep, Rounding::nearest_even, y);
    if (arithmetic_->flushes_subnormals) emulated::flush_subnormals(y, count);
  }

  const Emulation& emulation_;
  mutable const Arithmetic* arithmetic_ = nullptr;
};

void check(const Arithmetic& a) {
  if (a.unit.block > 0 && (a.unit.fraction < 1 || a.unit.fraction > 28))
    throw std::invalid_argument(fmt::format(
        "Emulated: a matmul unit with {} fractional bits; 1 to 28 would fit", a.unit.fraction));
}

Emulation checked(Emulation emulation) {
  if (emulation.summation.lanes == 0)
    throw std::invalid_argument("Emulated: a summation with 0 lanes; 1 or more would fit");
  check(emulation.arithmetic.everywhere);
  for (const auto& [node, own] : emulation.arithmetic.except) check(own);
  return emulation;
}

}  // namespace

Emulated::Emulated(std::string name, Emulation emulation)
    : name_(std::move(name)), emulation_(checked(std::move(emulation))) {}

void Emulated::set(Emulation emulation) { emulation_ = checked(std::move(emulation)); }

std::string Emulated::description() const {
  const Arithmetic& a = emulation_.arithmetic.everywhere;
  const kernels::Conversion operands = kernels::operand_conversion(a);
  static constexpr const char* orders[] = {"first to last", "last to first", "pairwise",
                                           "in lanes"};
  return fmt::format(
      "emulated: operands {}{}, sums in {}{}, {}{}", traits(operands.format).name,
      operands.pieces > 1 ? fmt::format(" in {} pieces", operands.pieces) : "",
      traits(a.accumulate).name,
      a.unit.block > 0 ? fmt::format(" by a matmul unit of {} products", a.unit.block) : "",
      orders[static_cast<std::size_t>(emulation_.summation.order)],
      emulation_.arithmetic.except.empty() ? "" : "; other arithmetic in some nodes");
}

void Emulated::evaluate(const Evaluation& evaluation) const {
  walk<float>(evaluation, EmulatedKernels(emulation_));
  const Network& network = evaluation.network;
  for (std::size_t o = 0; o < network.outputs().size(); ++o) {
    const Node& node = network.node(network.outputs()[o]);
    const Format store = emulation_.arithmetic.at(network.outputs()[o]).store;
    const std::size_t count = network.entries(node, evaluation.batch) * node.shape.size();
    emulated::round_to(evaluation.outputs[o], count, store, Rounding::nearest_even,
                       evaluation.outputs[o]);
  }
}

}  // namespace ulpfuzz
