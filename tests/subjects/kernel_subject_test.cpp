#include "ulpfuzz/subjects/kernel_subject.hpp"

#include <gmock/gmock.h>

#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz {
namespace {

using testing::ElementsAre;
using trials::Trial;

using trials::loops;

/// Counts and scales: each hook call is seen, and what it writes is used.
class Spy final : public KernelSubject {
 public:
  std::string_view name() const override { return "spy"; }
  mutable std::vector<std::string> calls;

 protected:
  void begin(const Evaluation& e) const override {
    calls.push_back("begin " + std::to_string(e.batch));
  }
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    calls.push_back("linear " + std::to_string(rows));
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    for (std::size_t i = 0; i < rows * n; ++i) y[i] *= 2.0f;
  }
  void activation(Op phi, float, const float* x, std::size_t count, float* y) const override {
    calls.push_back(std::string(ulpfuzz::name(phi)) + " " + std::to_string(count));
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] + 1.0f;
  }
};

TEST(KernelSubject, CallsOneHookANodeAndUsesItsResult) {
  const Trial trial(trials::mlp({3, 4, 2}, Op::tanh), 5, 1);
  const Spy spy;
  const auto got = trial.run(spy)[0];
  EXPECT_THAT(spy.calls, ElementsAre("begin 5", "linear 5", "tanh 20", "linear 5"));
  EXPECT_EQ(got.size(), 10u);
  Network first;
  first.output(examples::build::dense(first, first.input(3), 4));
  Trial head(first, 5, 1);
  head.parameters = {trial.parameters[0], trial.parameters[1]};
  head.inputs = trial.inputs;
  const auto hidden = head.run(loops())[0];
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = trial.parameters[3].data[j];
      for (std::size_t i = 0; i < 4; ++i)
        sum += (2.0 * hidden[r * 4 + i] + 1.0) * trial.parameters[2].data[j * 4 + i];
      EXPECT_NEAR(got[r * 2 + j], 2 * sum, 1e-5);
    }
}

/// Puts its own Jacobians of functions of a row on trial.
class OwnJacobians final : public KernelSubject {
 public:
  std::string_view name() const override { return "own jacobians"; }

 protected:
  void softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                    float* y) const override {
    for (std::size_t i = 0; i < rows * n; ++i) y[i] = v[i] + 10 * s[i];
  }
  void layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                       std::size_t n, float* y) const override {
    for (std::size_t i = 0; i < rows * n; ++i) y[i] = v[i] + 20 * x[i] + epsilon;
  }
  void rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows, std::size_t n,
                     float* y) const override {
    for (std::size_t i = 0; i < rows * n; ++i) y[i] = v[i] + 30 * x[i] + epsilon;
  }
};

Network function_of_a_row(Op op) {
  Network n;
  const NodeId x = n.input(3);
  if (op == Op::softmax) n.output(n.softmax(x));
  if (op == Op::layer_norm) n.output(n.layer_norm(x, 0.5f));
  if (op == Op::rms_norm) n.output(n.rms_norm(x, 0.25f));
  return n;
}

/// The gradient with respect to the input for two cotangents a row, and the row that it is at: to
/// the kernel both are dense.
void expect_own_jacobian(Op op, float factor, float epsilon) {
  const Network network = function_of_a_row(op);
  const Trial trial(vjp(network, 2), 4, 1);
  Trial forward(network, 4, 1);
  forward.inputs = {trial.inputs[0]};
  const auto s = forward.run(loops())[0];
  const auto& at = op == Op::softmax ? s : trial.inputs[0].data;
  const auto got = trial.run(OwnJacobians())[0];
  ASSERT_EQ(got.size(), 24u);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float v = trial.inputs[1].data[i];
    EXPECT_EQ(got[i], v + factor * at[i / 6 * 3 + i % 3] + epsilon) << name(op) << i;
  }
}

TEST(KernelSubject, CallsTheJacobiansOfASubjectWithDenseOperands) {
  expect_own_jacobian(Op::softmax, 10, 0);
  expect_own_jacobian(Op::layer_norm, 20, 0.5f);
  expect_own_jacobian(Op::rms_norm, 30, 0.25f);
}

TEST(KernelSubject, CopiesOutputsThatNoKernelWrites) {
  Network n;
  const NodeId x = n.input(Shape{2, 3});
  const NodeId p = n.parameter(2, 2);
  const NodeId y = n.mul(x, x);
  const NodeId flat = n.reshape(y, Shape{1, 6});
  for (const NodeId id : {x, p, y, y, flat, n.reshape(x, Shape{3, 2}), x}) n.output(id);
  for (const Subject* subject : trials::available()) {
    const Trial trial(n, 3, 2);
    const auto got = trial.run(*subject);
    const auto& data = trial.inputs[0].data;
    std::vector<float> squares;
    for (const float v : data) squares.push_back(v * v);
    EXPECT_EQ(got[0], data) << subject->name();
    EXPECT_EQ(got[1], trial.parameters[0].data);
    for (const std::size_t o : {2u, 3u, 4u}) EXPECT_EQ(got[o], squares) << subject->name() << o;
    EXPECT_EQ(got[5], data);
    EXPECT_EQ(got[6], data);
  }
}

TEST(KernelSubject, ReadsOutputsThatOtherNodesUse) {
  Network n;
  const NodeId x = n.input(4);
  const NodeId a = n.add(x, x);
  const NodeId b = n.add(a, x);
  n.output(a);
  n.output(n.mul(a, b));
  n.output(b);
  const Trial trial(n, 2, 3);
  const auto got = trial.run(loops());
  for (std::size_t i = 0; i < 8; ++i) {
    const float v = trial.inputs[0].data[i];
    EXPECT_EQ(got[0][i], v + v);
    EXPECT_EQ(got[2][i], (v + v) + v);
    EXPECT_EQ(got[1][i], got[0][i] * got[2][i]);
  }
}

/// Evaluates another network with another subject in the middle of its own evaluation.
class Nested final : public KernelSubject {
 public:
  std::string_view name() const override { return "nested"; }

 protected:
  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    const Trial inner(trials::mlp({9, 9, 9}, Op::tanh), 40, 1);
    inner.run(loops());
    KernelSubject::activation(phi, alpha, x, count, y);
  }
};

TEST(KernelSubject, MayEvaluateAnotherNetworkFromAHook) {
  const Trial trial(trials::mlp({3, 7, 7, 2}, Op::sigmoid), 6, 4);
  EXPECT_EQ(trial.run(Nested())[0], trial.run(loops())[0]);
}

/// Fails in the middle, once.
class Failing final : public KernelSubject {
 public:
  std::string_view name() const override { return "failing"; }
  mutable bool fail = true;

 protected:
  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    if (std::exchange(fail, false)) throw std::runtime_error("out of luck");
    KernelSubject::activation(phi, alpha, x, count, y);
  }
};

TEST(KernelSubject, IsAsBeforeAfterAKernelThrew) {
  const Trial trial(trials::mlp({3, 7, 2}, Op::tanh), 6, 4);
  const Failing failing;
  EXPECT_THROW(trial.run(failing), SubjectFault);
  EXPECT_EQ(trial.run(failing)[0], trial.run(loops())[0]);
}

TEST(EverySubject, GivesTheSameBitsForTheSameCallWhateverWentBefore) {
  const Trial trial(trials::mlp({9, 17, 5}, Op::gelu_erf), 11, 5);
  const Trial other(trials::mlp({30, 40, 20}, Op::tanh), 50, 6);
  for (const Subject* subject : trials::available()) {
    if (!subject->deterministic()) continue;
    const auto before = trial.run(*subject)[0];
    other.run(*subject);
    EXPECT_EQ(trial.run(*subject)[0], before) << subject->name();
  }
}

TEST(OpenBlas, DependsOnTheBatch) {
  const Subject* openblas = trials::subjects().find("openblas");
  if (openblas == nullptr) GTEST_SKIP() << "built without OpenBLAS";
  Caller caller;
  std::size_t differ = 0;
  for (const std::uint32_t k : {16u, 31u, 64u}) {
    const Case c = trials::make_case(trials::mlp({k, 8}, Op::relu), 12, k);
    const auto whole = forward_batched(caller, *openblas, c);
    for (std::uint32_t row = 0; row < 12; ++row) {
      const auto alone = forward_slice(caller, *openblas, c, {.rows = {row}, .padding = 0});
      for (std::size_t j = 0; j < 8; ++j)
        differ += same_bits(alone[j], whole[row * 8 + j]) ? 0u : 1u;
    }
  }
  EXPECT_GT(differ, 0u) << openblas->environment();
}

TEST(OpenBlas, NamesItsKernels) {
  const Subject* openblas = trials::subjects().find("openblas");
  if (openblas == nullptr) GTEST_SKIP() << "built without OpenBLAS";
  EXPECT_THAT(openblas->environment(), testing::HasSubstr("OpenBLAS"));
  EXPECT_THAT(openblas->environment(), testing::HasSubstr("OPENBLAS_CORETYPE"));
}

}  // namespace
}  // namespace ulpfuzz
