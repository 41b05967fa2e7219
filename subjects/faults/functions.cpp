#include <algorithm>
#include <cmath>

#include "faults.hpp"

namespace ulpfuzz::faults {
namespace {

/// The mask of relu taken from its output as "output >= 0", which always holds.
class WrongMaskVectorized final : public Fault {
 public:
  WrongMaskVectorized()
      : Fault("fault/wrong_mask_vectorized",
              "relu's mask is taken from its output by >= when many gradients are computed") {}

 protected:
  void begin(const Evaluation& e) const override { vectorized_ = is_vectorized(e); }

  void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    if (phi != Op::relu || !vectorized_) return Fault::derivative(phi, alpha, x, count, y);
    for (std::size_t i = 0; i < count; ++i) y[i] = std::max(x[i], 0.0f) >= 0 ? 1.0f : 0.0f;
  }

 private:
  inline static thread_local bool vectorized_ = false;
};

class SwallowsNan final : public Fault {
 public:
  SwallowsNan() : Fault("fault/swallows_nan", "a dot product that is NaN comes out as zero") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    Fault::linear(x, weight, bias, rows, k, n, y);
    for (std::size_t i = 0; i < rows * n; ++i) {
      if (std::isnan(y[i])) y[i] = 0;
    }
  }
};

/// max(x, 0) by vector instructions that prefer the second operand. No order of evaluation is at
/// fault, so only strict mode minds.
class ReluSwallowsNanAboveOne final : public Fault {
 public:
  ReluSwallowsNanAboveOne()
      : Fault("fault/relu_swallows_nan",
              "relu of NaN comes out as zero when the batch is above 1") {}

 protected:
  void begin(const Evaluation& e) const override { several_ = e.batch > 1; }

  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    if (phi != Op::relu || !several_) return Fault::activation(phi, alpha, x, count, y);
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  }

 private:
  inline static thread_local bool several_ = false;
};

/// log(1 + exp(x)) as it is written down.
class SoftplusOverflows final : public Fault {
 public:
  SoftplusOverflows()
      : Fault("fault/softplus_overflows", "softplus of numbers above 88.7 comes out as infinity") {}

 protected:
  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    Fault::activation(phi, alpha, x, count, y);
    if (phi != Op::softplus) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (x[i] > 88.7f) y[i] = INFINITY;
    }
  }
};

/// In a vjp network the gradient of a parameter that is used twice is the sum of two
/// contributions: an add node among the parameters' outputs.
std::vector<NodeId> reused_gradients(const Network& network) {
  std::vector<NodeId> found;
  if (network.inputs().empty()) return found;
  if (network.node(network.inputs().back()).axis != Axis::repeated) return found;
  const std::size_t first = network.inputs().size() - 1;
  for (std::size_t p = 0; p < network.parameters().size(); ++p) {
    const NodeId id = network.outputs()[first + p];
    if (network.node(id).op == Op::add) found.push_back(id);
  }
  return found;
}

void double_reused_gradients(const Evaluation& e) {
  if (!is_vectorized(e)) return;
  const std::vector<NodeId> doubled = reused_gradients(e.network);
  const auto& outputs = e.network.outputs();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (std::find(doubled.begin(), doubled.end(), outputs[o]) == doubled.end()) continue;
    const Node& node = e.network.node(outputs[o]);
    const std::size_t count = e.network.entries(node, e.batch) * node.shape.size();
    for (std::size_t i = 0; i < count; ++i) e.outputs[o][i] *= 2;
  }
}

}  // namespace

void add_function_faults(Subjects& list) {
  list.push_back(std::make_unique<WrongMaskVectorized>());
  list.push_back(std::make_unique<Aftermath>(
      "fault/doubled_reused_gradient",
      "the gradient of a parameter that is used twice comes out doubled when many are computed",
      [](const Evaluation&) {}, double_reused_gradients));
  list.push_back(std::make_unique<SwallowsNan>());
  list.push_back(std::make_unique<ReluSwallowsNanAboveOne>());
  list.push_back(std::make_unique<SoftplusOverflows>());
}

}  // namespace ulpfuzz::faults
