#pragma once

#include <cstddef>

#include "gpu_plan.hpp"
#include "profile.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz::gpu {

/// The walker's kernels: everything is queued.
class GpuKernels {
 public:
  GpuKernels(const Profile& profile, const GpuPlan& plan, Work& work)
      : profile_(profile), plan_(plan), work_(work) {}

  void visit(NodeId id) const {
    node_ = id;
    work_.at(plan_.network(), id);
  }

  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const;
  void matmul(const MatmulCall& call, const float* a, const float* b, float* y) const;
  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const;
  void sum(const float* x, std::size_t rows, std::size_t n, float* y) const {
    sum_each(x, 1, rows, n, y);
  }
  void sum_each(const float* x, std::size_t entries, std::size_t rows, std::size_t n,
                float* y) const;
  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const;
  void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const;
  void add(const float* a, const float* b, std::size_t count, float* y) const;
  void mul(const float* a, const float* b, std::size_t count, float* y) const;
  void softmax(const float* x, std::size_t rows, std::size_t n, float* y) const;
  void layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n, float* y) const;
  void rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n, float* y) const;
  void softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                    float* y) const;
  void layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                       std::size_t n, float* y) const;
  void rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows, std::size_t n,
                     float* y) const;
  void move(const GpuPlan& plan, const Node& n, float* y) const;

 private:
  void multiply(kernels::Product product) const;

  const Profile& profile_;
  const GpuPlan& plan_;
  Work& work_;
  mutable NodeId node_ = 0;
};

}  // namespace ulpfuzz::gpu
