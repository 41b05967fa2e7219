#include "ulpfuzz/subjects/kernel_subject.hpp"

#include "activation_dispatch.hpp"
#include "plain.hpp"
#include "walk.hpp"

namespace ulpfuzz {

// The walker's view of the hooks.
struct KernelSubject::Hooks {
  const KernelSubject& subject;

  void linear(auto... args) const { subject.linear(args...); }
  void matmul(const MatmulCall& call, const float* a, const float* b, float* y) const {
    subject.matmul(call, a, b, y);
  }
  void outer_sum(auto... args) const { subject.outer_sum(args...); }
  void sum(auto... args) const { subject.sum(args...); }
  void activation(auto... args) const { subject.activation(args...); }
  void derivative(auto... args) const { subject.derivative(args...); }
  void add(auto... args) const { subject.add(args...); }
  void mul(auto... args) const { subject.mul(args...); }
  void softmax(auto... args) const { subject.softmax(args...); }
  void layer_norm(auto... args) const { subject.layer_norm(args...); }
  void rms_norm(auto... args) const { subject.rms_norm(args...); }
  void softmax_grad(auto... args) const { subject.softmax_grad(args...); }
  void layer_norm_grad(auto... args) const { subject.layer_norm_grad(args...); }
  void rms_norm_grad(auto... args) const { subject.rms_norm_grad(args...); }
};

void KernelSubject::evaluate(const Evaluation& evaluation) const {
  begin(evaluation);
  walk<float>(evaluation, Hooks{*this});
}

void KernelSubject::linear(const float* x, const float* weight, const float* bias, std::size_t rows,
                           std::size_t k, std::size_t n, float* y) const {
  plain::linear(x, weight, bias, rows, k, n, y);
}

void KernelSubject::matmul(const MatmulCall& call, const float* a, const float* b, float* y) const {
  plain::matmul(call, a, b, y);
}

void KernelSubject::outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n,
                              std::size_t k, float* y) const {
  plain::outer_sum(a, b, rows, n, k, y);
}

void KernelSubject::sum(const float* x, std::size_t rows, std::size_t n, float* y) const {
  plain::sum(x, rows, n, y);
}

void KernelSubject::activation(Op phi, float alpha, const float* x, std::size_t count,
                               float* y) const {
  with_activation(phi, alpha, [&](const auto& kernel) {
    for (std::size_t i = 0; i < count; ++i) y[i] = kernels::apply(kernel, x[i]);
  });
}

void KernelSubject::derivative(Op phi, float alpha, const float* x, std::size_t count,
                               float* y) const {
  with_derivative(phi, alpha, [&](const auto& kernel) {
    for (std::size_t i = 0; i < count; ++i) y[i] = kernels::apply(kernel, x[i]);
  });
}

void KernelSubject::add(const float* a, const float* b, std::size_t count, float* y) const {
  for (std::size_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
}

void KernelSubject::mul(const float* a, const float* b, std::size_t count, float* y) const {
  for (std::size_t i = 0; i < count; ++i) y[i] = a[i] * b[i];
}

void KernelSubject::softmax(const float* x, std::size_t rows, std::size_t n, float* y) const {
  for (std::size_t r = 0; r < rows; ++r) kernels::softmax_row(x + r * n, n, y + r * n);
}

void KernelSubject::layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                               float* y) const {
  for (std::size_t r = 0; r < rows; ++r) kernels::layer_norm_row(x + r * n, epsilon, n, y + r * n);
}

void KernelSubject::rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                             float* y) const {
  for (std::size_t r = 0; r < rows; ++r) kernels::rms_norm_row(x + r * n, epsilon, n, y + r * n);
}

void KernelSubject::softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                                 float* y) const {
  for (std::size_t r = 0; r < rows; ++r)
    kernels::softmax_grad_row(v + r * n, s + r * n, n, y + r * n);
}

void KernelSubject::layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                                    std::size_t n, float* y) const {
  for (std::size_t r = 0; r < rows; ++r)
    kernels::layer_norm_grad_row(v + r * n, x + r * n, epsilon, n, y + r * n);
}

void KernelSubject::rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                                  std::size_t n, float* y) const {
  for (std::size_t r = 0; r < rows; ++r)
    kernels::rms_norm_grad_row(v + r * n, x + r * n, epsilon, n, y + r * n);
}

}  // namespace ulpfuzz
