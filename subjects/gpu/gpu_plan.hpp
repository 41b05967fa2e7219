#pragma once

#include <cstddef>
#include <vector>

#include "../plan.hpp"
#include "memory.hpp"
#include "profile.hpp"

namespace ulpfuzz::gpu {

/// Where values of several evaluations lie: what is uploaded, what is downloaded, and the rest.
struct Regions {
  Region in, out, work;
};
/// Where the regions begin.
struct Bases {
  float* in;
  float* out;
  float* work;
};

/// What the evaluation at hand queues on: the profile's session, which knows the node it is at.
class Work final : public Session {
 public:
  Work(kernels::Device& device, kernels::Blas* blas, Memory& memory)
      : device_(device), blas_(blas), memory_(memory) {}
  kernels::Device& device() override { return device_; }
  float* scratch(std::size_t floats) override {
    return memory_.take_guarded(floats, {Owner::Kind::scratch, node_, network_});
  }
  void* workspace(std::size_t bytes) override { return memory_.workspace(stream_, bytes); }
  kernels::Blas& blas() override { return blas_ == nullptr ? Session::blas() : *blas_; }
  void select(unsigned stream) {
    stream_ = stream;
    device_.select(stream);
  }
  void at(const Network& network, NodeId node) {
    network_ = &network;
    node_ = node;
  }

 private:
  kernels::Device& device_;
  kernels::Blas* blas_;
  Memory& memory_;
  unsigned stream_ = 0;
  const Network* network_ = nullptr;
  NodeId node_ = 0;
};

/// Where the values of a network's nodes lie on a device during one evaluation: a plan for the
/// walker. Also says which activations are evaluated with the product that they are applied to.
class GpuPlan {
 public:
  using Number = float;

  /// Lays the values out. Parameters are read where `before` has them if they are the same ones.
  void lay_out(const Evaluation& evaluation, Regions& regions, const GpuPlan* before);
  /// Copies inputs and parameters to their places in the memory that is uploaded.
  void gather(float* in) const;
  void settle(const Bases& bases, Work& work);
  /// Queues copies of outputs that are inputs or parameters.
  void copy_outputs() const;
  /// From what was downloaded.
  void write_outputs(const float* out) const;

  const Network& network() const { return *network_; }
  const Node& node(NodeId id) const { return network_->node(id); }
  std::size_t batch() const { return evaluation_->batch; }
  std::size_t repeat() const { return network_->repeat(); }
  std::size_t entries(Axis axis) const;
  std::size_t elements(const Node& n) const { return entries(n.axis) * n.shape.size(); }
  float* result(NodeId id) const { return value_[id]; }
  const float* value(NodeId id) const { return value_[id]; }
  View<float> view(NodeId operand, Axis axis) const;
  const float* dense(NodeId operand, Axis axis, Shape shape, int slot) const;
  bool skips(NodeId id) const { return place_[id].fused; }
  /// The activation that the product of this node is to be followed by; null if none.
  const Node* epilogue(NodeId id) const;

 private:
  static constexpr NodeId none = ~NodeId{0};
  enum class Where : std::uint8_t { nowhere, in, out, work };
  struct Place {
    Where where = Where::nowhere;
    bool fused = false;
    NodeId epilogue = none;
    std::size_t offset = 0;
  };
  bool aliases(const Node& n) const;
  static bool given(const Node& n) { return n.op == Op::input || n.op == Op::parameter; }
  void fuse();
  void place_outputs(Region& out);
  void place_given(NodeId id, Region& in, const GpuPlan* before);
  bool same_parameters(const GpuPlan& other) const;

  const Evaluation* evaluation_ = nullptr;
  const Network* network_ = nullptr;
  Work* work_ = nullptr;
  bool shares_ = false;  ///< the parameters of the plan before
  std::vector<Place> place_;
  std::vector<std::size_t> output_;     ///< offset of each output in `out`
  std::vector<std::size_t> parameter_;  ///< of each parameter in `in`
  std::vector<std::uint32_t> readers_;
  std::vector<float*> value_;
  float* out_ = nullptr;
};

}  // namespace ulpfuzz::gpu
