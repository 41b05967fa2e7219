#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "compiled_run.hpp"
#include "failures.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz::repro {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int no_device = 77;

#define SKIP_WITHOUT_NVCC \
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc in PATH"

/// One architecture compiles faster; and as strict a host compiler as for C++.
constexpr const char* flags = "-arch=sm_90 -Xcompiler -Wall,-Wextra,-Werror";

/// Ten of several ops and both properties.
std::vector<KnownFailure> chosen() {
  const std::set<std::string> names = {"tf32_above_8",
                                       "neighbour_row",
                                       "wrong_transpose_when_square",
                                       "swallows_nan",
                                       "softplus_overflows",
                                       "lanes_above_1",
                                       "nondeterministic",
                                       "drops_last_product_gradient",
                                       "mean_of_means_gradient",
                                       "wrong_mask_vectorized_gradient"};
  std::vector<KnownFailure> some;
  for (const KnownFailure& f : known_failures())
    if (names.count(f.name) != 0) some.push_back(f);
  return some;
}

class CudaProgram : public testing::TestWithParam<KnownFailure> {};

TEST_P(CudaProgram, CompilesAndFailsWhereThereIsADevice) {
  SKIP_WITHOUT_NVCC;
  const Failure failure = judged(GetParam());
  const std::string text = program(failure, Language::cuda, "repro.cu");
  const Ran ran = run_compiled(text, "repro.cu", flags);
  EXPECT_THAT(ran.code, AnyOf(1, no_device)) << text << ran.printed;
  EXPECT_THAT(ran.printed, HasSubstr(ran.code == 1 ? "FAIL: " : "CUDA: ")) << text;
}

INSTANTIATE_TEST_SUITE_P(PlantedFaults, CudaProgram, testing::ValuesIn(chosen()),
                         [](const auto& tested) { return tested.param.name; });

/// A subject of that name, not here.
class Named final : public KernelSubject {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::optional<std::string> unavailable() const override { return "no device"; }

 private:
  std::string name_;
};

Case two_layers() {
  Network n;
  const NodeId x = n.input(3);
  const NodeId w = n.parameter(4, 3);
  const NodeId h = n.activation(Op::tanh, n.linear(x, w, n.parameter(1, 4)));
  n.output(n.linear(h, n.parameter(2, 4)));
  Case c;
  c.network = std::move(n);
  c.parameters = {Tensor(4, 3, std::vector<float>(12, 0x1.002p+0f)),
                  Tensor(1, 4, std::vector<float>(4, 0.5f)),
                  Tensor(2, 4, std::vector<float>(8, 0x1.002p+0f))};
  c.inputs = {Tensor(2, 3, {1, 2, 3, 4, 5, 6})};
  c.split = {{{0}, 0}, {{1}, 0}};
  return c;
}

/// In single precision a difference of 1 is beyond any bound.
Verdict claimed(const char* where, const char* path_a, const char* path_b) {
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = FailureClass::beyond_bound;
  v.worst.where = where;
  v.worst.path_a = path_a;
  v.worst.path_b = path_b;
  v.worst.a = 1;
  v.worst.difference = 1;
  return v;
}

class CublasProgram : public testing::TestWithParam<const char*> {};

TEST_P(CublasProgram, CompilesWithTheLibrarysCalls) {
  SKIP_WITHOUT_NVCC;
  const Case c = two_layers();
  const Named subject(GetParam());
  const Failure failure{c,
                        properties::batched_vs_sliced,
                        subject,
                        {},
                        claimed("output[row 1][column 0]", "batch of 2", "slice row 1"),
                        "",
                        ""};
  const std::string text = program(failure, Language::cuda, "repro.cu");
  EXPECT_THAT(command_of(text), HasSubstr("-lcublas"));
  const Ran ran = run_compiled(text, "repro.cu", flags);
  EXPECT_THAT(ran.code, AnyOf(0, 1, no_device)) << text << ran.printed;
}

INSTANTIATE_TEST_SUITE_P(Modes, CublasProgram,
                         testing::Values("cublas/tf32", "cublas/bf16", "cublaslt/fp32"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           name[name.find('/')] = '_';
                           return name;
                         });

TEST(CublasProgram, OfGradientsCallsTheBatchedProduct) {
  SKIP_WITHOUT_NVCC;
  const Case c = two_layers();
  const Named subject("cublas/fp32");
  const Failure failure{c,
                        properties::loop_vs_vectorized,
                        subject,
                        {},
                        claimed("d output[1] / d parameter 0[2][1], row 1", "the loop",
                                "vectorized reverse (batch of 2)"),
                        "",
                        ""};
  const std::string text = program(failure, Language::cuda, "repro.cu");
  EXPECT_THAT(text, HasSubstr("cublasGemmStridedBatchedEx"));
  const Ran ran = run_compiled(text, "repro.cu", flags);
  EXPECT_THAT(ran.code, AnyOf(0, no_device)) << text << ran.printed;
}

}  // namespace
}  // namespace ulpfuzz::repro
