#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "gpu/simt_profiles.hpp"
#include "subjects/trials.hpp"
#include "support/stand_in_source.hpp"

namespace ulpfuzz {
namespace {

using kernels::DeviceError;
using stand_in::Call;
using stand_in::Control;
using stand_in::Failure;
using trials::Trial;
using Values = std::vector<std::vector<float>>;

constexpr Call every_call[] = {Call::allocate, Call::upload, Call::download,  Call::fill,
                               Call::launch,   Call::blas,   Call::heuristic, Call::synchronize};

struct Suspect {
  std::string name;
  std::shared_ptr<Control> control = std::make_shared<Control>();
  std::unique_ptr<const Subject> subject;
};

// Subjects that between them make every kind of call: a new one every time.
constexpr const char* names[] = {"cublas/fp32", "cublas/fp16", "cublaslt/tf32", "simt"};

Suspect suspect(const std::string& name) {
  Suspect s;
  s.name = name;
  for (const gpu::NamedBlas& profile : gpu::blas_profiles())
    if (profile.name == name) s.subject = stand_in::blas_subject(profile, s.control);
  if (s.subject == nullptr)
    s.subject = gpu::make_gpu_subject(name, gpu::simt_profiles().front().make(),
                                      stand_in::source(s.control));
  return s;
}

Trial attention_case() { return {examples::build::attention(), 3, 7}; }

struct Thrown {
  std::string what;
  bool sticky = false;
};

// What an evaluation throws; nothing if it gives the expected bits.
std::optional<Thrown> evaluate_on(const Subject& subject, const Trial& trial,
                                  const Values& expected) {
  Values values;
  std::vector<float*> outputs;
  for (const auto& y : expected) values.emplace_back(y.size(), -1.0f);
  for (auto& y : values) outputs.push_back(y.data());
  const auto inputs = trial.input_pointers();
  try {
    subject.evaluate({trial.network, trial.parameters, trial.batch, inputs, outputs});
  } catch (const DeviceError& error) {
    return Thrown{error.what(), error.sticky()};
  }
  EXPECT_EQ(values, expected);
  return std::nullopt;
}

void expect_clean(const Control& control, const std::string& what) {
  EXPECT_EQ(control.live, 0u) << what;
  EXPECT_EQ(control.devices, 0u) << what;
  EXPECT_EQ(control.faults, std::vector<std::string>{}) << what;
}

std::string label(const Suspect& s, const Failure& f) {
  return s.name + ": " + name(f.call) + " " + std::to_string(f.index);
}

// Calls use(index) until it says that the evaluation made no such call; how often it made one.
template <class Use>
std::size_t each_index(const Use& use) {
  std::size_t index = 0;
  while (index < 1000 && !testing::Test::HasFailure() && use(index)) ++index;
  EXPECT_LT(index, 1000u);
  return index;
}

TEST(GpuErrors, OfAnyCallAreThrownByNameAndLeaveNothingBehindAndTheNextEvaluationIsRight) {
  const Trial trial = attention_case();
  std::map<Call, std::size_t> failed;
  for (const char* of : names) {
    const Values right = trial.run(*suspect(of).subject);
    for (const Call call : every_call)
      failed[call] += each_index([&](std::size_t index) {
        const Suspect s = suspect(of);
        s.control->failure = Failure{.call = call, .index = index};
        const auto thrown = evaluate_on(*s.subject, trial, right);
        if (!thrown) return false;
        EXPECT_NE(thrown->what.find(": injected"), std::string::npos) << thrown->what;
        EXPECT_EQ(thrown->what.rfind(name(call), 0), 0u) << thrown->what;
        EXPECT_FALSE(thrown->sticky);
        EXPECT_FALSE(s.subject->broken());
        expect_clean(*s.control, label(s, *s.control->failure));
        EXPECT_FALSE(evaluate_on(*s.subject, trial, right)) << label(s, *s.control->failure);
        return true;
      });
  }
  for (const Call call : every_call) EXPECT_GT(failed[call], 3u) << name(call);
}

TEST(GpuErrors, ThatStickBreakTheSubjectForGood) {
  const Trial trial = attention_case();
  std::map<Call, std::size_t> failed;
  for (const char* of : names) {
    const Values right = trial.run(*suspect(of).subject);
    for (const Call call : every_call)
      for (const bool late : {false, true}) {
        // Their work is done at once.
        if (late &&
            (call == Call::allocate || call == Call::heuristic || call == Call::synchronize))
          continue;
        failed[call] += each_index([&](std::size_t index) {
          const Suspect s = suspect(of);
          s.control->failure = Failure{call, index, "lost", true, late};
          const auto thrown = evaluate_on(*s.subject, trial, right);
          if (!thrown) return false;
          const std::string what = label(s, *s.control->failure);
          EXPECT_TRUE(thrown->sticky && s.subject->broken()) << what;
          EXPECT_NE(thrown->what.find("lost"), std::string::npos) << thrown->what;
          expect_clean(*s.control, what);
          s.control->calls = {};
          const auto again = evaluate_on(*s.subject, trial, right);
          EXPECT_TRUE(again && again->sticky) << what;
          for (const std::size_t calls : s.control->calls) EXPECT_EQ(calls, 0u) << what;
          return true;
        });
      }
  }
  for (const Call call : every_call) EXPECT_GT(failed[call], 3u) << name(call);
}

TEST(GpuErrors, OfMemoryThatRunsOutAreOverWhenThereIsMore) {
  const Trial trial = attention_case();
  for (const char* of : names) {
    const Values right = trial.run(*suspect(of).subject);
    std::size_t failed = 0;
    for (std::size_t capacity = 1024;; capacity += capacity / 2, ++failed) {
      const Suspect s = suspect(of);
      s.control->capacity = capacity;
      const auto thrown = evaluate_on(*s.subject, trial, right);
      if (!thrown) break;
      EXPECT_EQ(thrown->what, "cudaMalloc: out of memory");
      expect_clean(*s.control, s.name);
      s.control->capacity = std::size_t{1} << 30;
      EXPECT_FALSE(evaluate_on(*s.subject, trial, right));
    }
    EXPECT_GT(failed, 3u) << of;
  }
}

TEST(GpuErrors, OfALibraryThatDoesNotOfferWhatIsAskedForAreThrown) {
  const Trial trial = attention_case();
  for (const gpu::NamedBlas& profile : gpu::blas_profiles()) {
    const auto control = std::make_shared<Control>();
    const auto subject = stand_in::blas_subject(profile, control);
    const Values right = trial.run(*subject);
    control->lists_algorithms = false;
    const auto none = evaluate_on(*subject, trial, right);
    const bool lt = profile.settings.library == gpu::BlasSettings::Library::lt;
    EXPECT_EQ(none.has_value(), lt) << profile.name;
    if (none) {
      EXPECT_EQ(none->what.rfind("cublasLtMatmulAlgoGetHeuristic: no algorithm", 0), 0u);
    }
    control->lists_algorithms = true;
    control->unsupported = {profile.settings.mode};
    const auto refused = evaluate_on(*subject, trial, right);
    ASSERT_TRUE(refused) << profile.name;
    EXPECT_NE(refused->what.find("NOT_SUPPORTED"), std::string::npos) << refused->what;
    control->unsupported.clear();
    EXPECT_FALSE(evaluate_on(*subject, trial, right));
  }
}

}  // namespace
}  // namespace ulpfuzz
