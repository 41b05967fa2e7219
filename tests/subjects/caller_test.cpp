#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <array>
#include <bit>
#include <cfenv>
#include <chrono>
#include <functional>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {
namespace {

using testing::HasSubstr;

/// Does whatever a test wants with an evaluation.
class ScriptedCaller final : public Subject {
 public:
  explicit ScriptedCaller(std::function<void(const Evaluation&)> script)
      : script_(std::move(script)) {}
  std::string_view name() const override { return "scripted"; }
  void evaluate(const Evaluation& evaluation) const override { script_(evaluation); }

 private:
  std::function<void(const Evaluation&)> script_;
};

// Two outputs: [batch, 3] and [batch, 2].
Network two_outputs() {
  Network n;
  n.output(n.input(3));
  n.output(n.input(2));
  return n;
}

constexpr std::size_t batch = 4;

void write_all(const Evaluation& e) {
  for (std::size_t i = 0; i < batch * 3; ++i) e.outputs[0][i] = 1.0f;
  for (std::size_t i = 0; i < batch * 2; ++i) e.outputs[1][i] = 2.0f;
}

struct Finding {
  FailureClass failure = FailureClass::none;
  std::string what;
};

Finding find(std::function<void(const Evaluation&)> script, unsigned offset = 0) {
  const Network network = two_outputs();
  const std::vector<float> x(batch * 3);
  const std::array<const float*, 2> inputs = {x.data(), x.data()};
  Caller caller;
  try {
    caller.run(ScriptedCaller(std::move(script)), network, {}, batch, inputs, offset);
    return {};
  } catch (const SubjectFault& fault) {
    return {fault.failure(), fault.what()};
  }
}

TEST(Caller, FindsNothingWrongWithACompleteResult) {
  for (unsigned offset = 0; offset < 16; ++offset)
    EXPECT_EQ(find(write_all, offset).failure, FailureClass::none);
}

TEST(Caller, PlacesOutputsAtTheOffset) {
  for (unsigned offset = 0; offset < 16; ++offset)
    find(
        [offset](const Evaluation& e) {
          for (float* y : e.outputs)
            EXPECT_EQ(std::bit_cast<std::uintptr_t>(y) % 64, offset * sizeof(float));
          write_all(e);
        },
        offset);
}

TEST(Caller, ReturnsWhatTheSubjectWrote) {
  const Network network = two_outputs();
  const std::array<const float*, 2> inputs = {nullptr, nullptr};
  Caller caller;
  for (int round = 0; round < 3; ++round) {
    const Outputs out = caller.run(ScriptedCaller(write_all), network, {}, batch, inputs);
    EXPECT_THAT(out.values[0], testing::Each(1.0f));
    EXPECT_THAT(out.values[1], testing::Each(2.0f));
    EXPECT_EQ(out.values[0].size(), batch * 3);
    EXPECT_EQ(out.values[1].size(), batch * 2);
  }
}

TEST(Caller, NamesTheElementsThatWereNotWritten) {
  const Finding finding = find([](const Evaluation& e) {
    const float kept = e.outputs[1][5];
    const float other = e.outputs[1][7];
    write_all(e);
    e.outputs[1][5] = kept;
    e.outputs[1][7] = other;
  });
  EXPECT_EQ(finding.failure, FailureClass::unwritten);
  EXPECT_THAT(finding.what, HasSubstr("2 of 8 elements"));
  EXPECT_THAT(finding.what, HasSubstr("output 1, entry 2, row 0, column 1"));
}

TEST(Caller, FindsWritesOnBothSidesOfEachOutput) {
  for (unsigned offset : {0u, 1u, 15u})
    for (std::size_t o : {0u, 1u})
      for (std::ptrdiff_t distance = 1; distance <= 16; ++distance) {
        const auto size = static_cast<std::ptrdiff_t>(batch * (o == 0 ? 3 : 2));
        for (const std::ptrdiff_t at : {-distance, size + distance - 1}) {
          const Finding finding = find(
              [=](const Evaluation& e) {
                write_all(e);
                e.outputs[o][at] = 1.0f;
              },
              offset);
          ASSERT_EQ(finding.failure, FailureClass::out_of_bounds) << o << " " << at;
        }
      }
}

TEST(Caller, SaysWhereAWriteWentAstray) {
  const auto behind = find([](const Evaluation& e) {
    write_all(e);
    e.outputs[1][batch * 2] = 0.0f;
  });
  EXPECT_THAT(behind.what, HasSubstr("output 1: float 1 behind the end of it"));
  const auto before = find([](const Evaluation& e) {
    write_all(e);
    e.outputs[0][-2] = 0.0f;
  });
  EXPECT_THAT(before.what, HasSubstr("output 0: float 2 before the start of it"));
}

TEST(Caller, TurnsExceptionsIntoFindings) {
  const auto named = find([](const Evaluation&) { throw std::runtime_error("no such kernel"); });
  EXPECT_EQ(named.failure, FailureClass::exception);
  EXPECT_THAT(named.what, HasSubstr("scripted threw: no such kernel"));
  EXPECT_EQ(find([](const Evaluation&) { throw 7; }).failure, FailureClass::exception);
}

constexpr unsigned ftz = 0x8000;
constexpr unsigned daz = 0x0040;

TEST(Caller, FindsAChangedEnvironmentAndPutsItRight) {
  const FpEnvironment before = FpEnvironment::current();
  for (const unsigned bit : {ftz, daz}) {
    const auto finding = find([bit](const Evaluation& e) {
      write_all(e);
      _mm_setcsr(_mm_getcsr() | bit);
    });
    EXPECT_EQ(finding.failure, FailureClass::fp_environment);
    EXPECT_EQ(FpEnvironment::current(), before);
  }
  const auto rounding = find([](const Evaluation& e) {
    write_all(e);
    std::fesetround(FE_UPWARD);
  });
  EXPECT_EQ(rounding.failure, FailureClass::fp_environment);
  EXPECT_EQ(FpEnvironment::current(), before);
}

TEST(Caller, GivesSubjectsTheDefaultEnvironmentAndRestoresTheCallersOwn) {
  const FpEnvironment before = FpEnvironment::current();
  const FpEnvironment mine{FE_DOWNWARD, true, true};
  mine.apply();
  FpEnvironment seen = mine;
  const auto finding = find([&](const Evaluation& e) {
    seen = FpEnvironment::current();
    write_all(e);
  });
  const FpEnvironment after = FpEnvironment::current();
  before.apply();
  EXPECT_EQ(finding.failure, FailureClass::none);
  EXPECT_EQ(seen, FpEnvironment{});
  EXPECT_EQ(after, mine);
}

TEST(Caller, RestoresTheEnvironmentAfterAnException) {
  const FpEnvironment before = FpEnvironment::current();
  find([](const Evaluation&) {
    _mm_setcsr(_mm_getcsr() | ftz);
    throw std::runtime_error("late");
  });
  EXPECT_EQ(FpEnvironment::current(), before);
}

TEST(Caller, CountsTheTimeInsideSubjectsOnly) {
  const Network network = two_outputs();
  const std::array<const float*, 2> inputs = {nullptr, nullptr};
  Caller caller;
  EXPECT_EQ(caller.seconds(), 0.0);
  caller.run(ScriptedCaller([](const Evaluation& e) {
               const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
               while (std::chrono::steady_clock::now() < end) write_all(e);
             }),
             network, {}, batch, inputs);
  const double spent = caller.seconds();
  EXPECT_GT(spent, 0.018);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < end) continue;
  EXPECT_NEAR(caller.seconds(), spent, 0.1 * spent);
}

TEST(Caller, AcceptsAnEmptyBatch) {
  const Network network = two_outputs();
  const std::array<const float*, 2> inputs = {nullptr, nullptr};
  Caller caller;
  const Outputs out =
      caller.run(ScriptedCaller([](const Evaluation&) {}), network, {}, 0, inputs, 3);
  EXPECT_TRUE(out.values[0].empty());
  EXPECT_TRUE(out.values[1].empty());
}

}  // namespace
}  // namespace ulpfuzz
