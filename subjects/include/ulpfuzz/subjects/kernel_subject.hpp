#pragma once

#include <cstddef>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// Sizes of one matmul call: y[e] = op(a[e]) op(b[e]) for e < entries, op(a) m x k, op(b) k x n.
/// Stride 0: the operand is shared by all entries. a_repeat, b_repeat: entry e reads operand entry
/// e / repeat.
struct MatmulCall {
  std::size_t entries, m, k, n;
  bool transpose_a, transpose_b;
  std::size_t a_stride, b_stride;
  std::size_t a_repeat, b_repeat;
};

/// Evaluates any network by walking its nodes and calling one virtual kernel a node (sum_rows: one
/// an entry; ops that only move elements: none): plain fp32 loops unless overridden. The way for an
/// evaluator that is a set of kernels to go on trial: derive, name it, override what is yours. All
/// arrays are dense, row-major; `rows` counts batch entries times feature rows.
class KernelSubject : public Subject {
 public:
  void evaluate(const Evaluation& evaluation) const final;

 protected:
  /// y[rows,n] = x[rows,k] W[n,k]^T + bias[n]; bias may be null.
  virtual void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
                      std::size_t k, std::size_t n, float* y) const;
  virtual void matmul(const MatmulCall& call, const float* a, const float* b, float* y) const;
  /// y[n,k] = sum over r < rows of a[r,n]^T b[r,k]: the batch-summed weight gradient.
  virtual void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n,
                         std::size_t k, float* y) const;
  /// y[n] = sum over r < rows of x[r,n]
  virtual void sum(const float* x, std::size_t rows, std::size_t n, float* y) const;
  /// y[i] = phi(x[i]), i < count; relu .. elu
  virtual void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const;
  /// y[i] = phi'(x[i])
  virtual void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const;
  virtual void add(const float* a, const float* b, std::size_t count, float* y) const;
  virtual void mul(const float* a, const float* b, std::size_t count, float* y) const;
  virtual void softmax(const float* x, std::size_t rows, std::size_t n, float* y) const;
  virtual void layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                          float* y) const;
  virtual void rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                        float* y) const;
  /// y = J v with J the Jacobian, row by row: at the row that softmax made s of, or at x.
  virtual void softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                            float* y) const;
  virtual void layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                               std::size_t n, float* y) const;
  virtual void rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                             std::size_t n, float* y) const;

  /// The network as a whole, before its first node: lets a subject look at sizes.
  virtual void begin(const Evaluation&) const {}

 private:
  struct Hooks;
};

}  // namespace ulpfuzz
