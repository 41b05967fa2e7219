#include "my_evaluator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string_view>
#include <ulpfuzz/shrink/rapidcheck.hpp>
#include <ulpfuzz/subjects/kernel_subject.hpp>

namespace {

// What ulpfuzz needs to know of the evaluator: a name, and which kernels are its own.
class MyEvaluator final : public ulpfuzz::KernelSubject {
 public:
  std::string_view name() const override { return "mine"; }

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    mine::linear(x, weight, bias, rows, k, n, y);
  }
};

// An ordinary unit test of the evaluator ...
TEST(MyEvaluator, AddsTheBias) {
  const float x[] = {1, 2}, w[] = {3, 4}, bias[] = {5};
  float y = 0;
  mine::linear(x, w, bias, 1, 2, 1, &y);
  EXPECT_EQ(y, 16);
}

// ... and its trial: random networks, inputs and batch splits, each element within a derived bound.
RC_GTEST_PROP(MyEvaluator, GivesARowTheSameResultInEveryBatch, ()) {
  ulpfuzz::put_on_trial(ulpfuzz::properties::batched_vs_sliced, MyEvaluator{}, "forward.case.json");
}

RC_GTEST_PROP(MyEvaluator, GivesTheSameGradientByLoopAndVectorized, ()) {
  ulpfuzz::put_on_trial(ulpfuzz::properties::loop_vs_vectorized, MyEvaluator{},
                        "gradient.case.json");
}

}  // namespace
