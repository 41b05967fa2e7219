#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "cuda_stand_in.hpp"
#include "gpu/blas_profile.hpp"
#include "gpu/gpu_subject.hpp"
#include "gpu/simt_profiles.hpp"
#include "subjects/trials.hpp"
#include "support/example_networks.hpp"
#include "support/naive_evaluator.hpp"
#include "ulpfuzz/kernels/cuda/blas.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::stand_in {
namespace {

using kernels::DeviceError;
using trials::Trial;
using Values = std::vector<std::vector<float>>;

gpu::DeviceSource source() {
  return {.make = kernels::cuda::make_device,
          .unavailable = kernels::cuda::unavailable,
          .environment = kernels::cuda::environment,
          .architecture = kernels::cuda::architecture,
          .group = 8,
          .blas = kernels::cuda::make_blas};
}

// As registered, with a workspace that is quick to fill.
std::unique_ptr<const Subject> subject(std::string_view name) {
  for (const gpu::NamedBlas& profile : gpu::blas_profiles())
    if (profile.name == name) {
      gpu::BlasSettings settings = profile.settings;
      settings.workspace_bytes = 1 << 16;
      return gpu::make_gpu_subject(std::string(name), gpu::make_blas_profile(settings), source());
    }
  return gpu::make_gpu_subject(std::string(name), gpu::simt_profiles().front().make(), source());
}

void expect_clean(const std::string& what) {
  EXPECT_EQ(cuda_control()->live, 0u) << what;
  EXPECT_EQ(cuda_control()->faults, std::vector<std::string>{}) << what;
}

// Every test begins as a process does. One that leaves the device broken is not to spoil the next.
class NewProcess final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { new_cuda(); }
  void OnTestEnd(const testing::TestInfo&) override { expect_clean("at the end"); }
};
[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new NewProcess);
  return true;
}();

TEST(CudaSubjects, ComputeEveryOpForwardAndBackward) {
  for (const gpu::NamedBlas& profile : gpu::blas_profiles()) {
    new_cuda();
    const bool rounds = profile.settings.operand != Format::fp32 ||
                        profile.settings.mode == kernels::MathMode::tf32;
    const double within = profile.settings.operand == Format::bf16 ? 0x1p-4
                          : rounds                                 ? 0x1p-7
                                                                   : 1e-5;
    std::size_t compared = 0, far = 0;
    {
      const auto on_trial = subject(profile.name);
      unsigned seed = 1;
      for (const examples::Example& example : examples::all())
        for (const Network& network : trials::with_derivatives(example.network)) {
          const Trial trial(network, 3, seed++);
          const auto expected = trial.expected();
          const Values got = trial.run(*on_trial);
          for (std::size_t o = 0; o < got.size(); ++o)
            for (std::size_t i = 0; i < got[o].size(); ++i, ++compared)
              far += !(std::abs(got[o][i] - expected[o][i]) <=
                       within * (1 + std::abs(expected[o][i])));
        }
    }
    EXPECT_GT(compared, 20000u);
    EXPECT_LE(far, rounds ? compared / 1000 : 0) << profile.name;
    EXPECT_GT(cuda_control()->count(Call::blas), 500u);
    expect_clean(std::string(profile.name));
  }
}

struct Thrown {
  std::string what;
  bool sticky;
};

std::optional<Thrown> evaluate(const Subject& on_trial, const Trial& trial,
                               const Values& expected) {
  try {
    EXPECT_EQ(trial.run(on_trial), expected);
  } catch (const SubjectFault& fault) {
    return Thrown{fault.what(), on_trial.broken()};
  }
  return std::nullopt;
}

// Every call of every kind fails once.
void fail_each(bool sticky, bool late) {
  const Trial trial(examples::build::attention(), 3, 7);
  std::size_t failed = 0;
  for (const char* name : {"cublas/fp32", "cublas/fp16", "cublaslt/tf32", "cuda"}) {
    new_cuda();
    const Values right = trial.run(*subject(name));
    for (const Call call : {Call::allocate, Call::upload, Call::download, Call::fill, Call::launch,
                            Call::blas, Call::heuristic, Call::synchronize}) {
      const bool queued =
          call != Call::allocate && call != Call::heuristic && call != Call::synchronize;
      if (late && !queued) continue;
      for (std::size_t index = 0; index < 300; ++index, ++failed) {
        new_cuda();
        const std::string what = std::string(name) + " call " +
                                 std::to_string(static_cast<int>(call)) + " " +
                                 std::to_string(index);
        {
          const auto on_trial = subject(name);
          cuda_control()->failure = Failure{call, index, "injected", sticky, late};
          const auto thrown = evaluate(*on_trial, trial, right);
          if (!thrown) break;
          EXPECT_EQ(thrown->sticky, sticky) << what << ": " << thrown->what;
          EXPECT_TRUE(thrown->what.find("cuda") != std::string::npos ||
                      thrown->what.find("cublas") != std::string::npos)
              << thrown->what;
          if (!sticky) {
            EXPECT_FALSE(evaluate(*on_trial, trial, right)) << what;
          }
        }
        expect_clean(what);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
  EXPECT_GT(failed, 50u);
}

TEST(CudaSubjects, SurviveEveryErrorThatIsNotSticky) { fail_each(false, false); }
TEST(CudaSubjects, AreBrokenByEveryErrorThatSticks) { fail_each(true, false); }
TEST(CudaSubjects, AreBrokenByEveryKernelThatFails) { fail_each(true, true); }

}  // namespace
}  // namespace ulpfuzz::stand_in
