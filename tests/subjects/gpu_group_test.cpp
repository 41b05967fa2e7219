#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <numeric>

#include "subjects/gpu_profiles.hpp"
#include "subjects/trials.hpp"
#include "support/gpu_stand_in.hpp"

namespace ulpfuzz {
namespace {

using gpu_tests::Plain;
using gpu_tests::Scripted;
using testing::HasSubstr;
using testing::IsEmpty;

/// A GPU subject on the stand-in, which runs queued work late and streams in any order.
struct OnStandIn {
  std::shared_ptr<stand_in::Control> control = std::make_shared<stand_in::Control>();
  std::unique_ptr<const Subject> subject;

  explicit OnStandIn(std::size_t group = 7,
                     std::shared_ptr<const gpu::Profile> profile = std::make_shared<Plain>()) {
    gpu::DeviceSource source = gpu::host_source();
    source.make = [control = control] { return std::make_unique<stand_in::GpuStandIn>(control); };
    source.group = group;
    subject = gpu::make_gpu_subject("gpu/test", std::move(profile), source);
  }
  std::size_t waits() const { return control->count(stand_in::Call::synchronize); }
};

/// Case of several slices, some empty, repeated or padded.
Case sliced_case(const Network& network, unsigned seed) {
  Case c = trials::make_case(network, 11, seed);
  for (std::uint32_t r = 0; r < 11; ++r) c.split.push_back({{r}, r % 3});
  c.split.push_back({{}, 0});
  c.split.push_back({{4, 4, 1, 10}, 0});
  c.layout = {.batch_offset = 2, .slice_offset = 5};
  return c;
}

TEST(GpuGroup, GivesTheBitsOfOneEvaluationAtATime) {
  const OnStandIn group;
  const OnStandIn alone(1);
  std::size_t compared = 0;
  unsigned seed = 1;
  Caller caller;
  for (const examples::Example& example : examples::all()) {
    const Case c = sliced_case(example.network, seed++);
    const DerivedNetworks derived = derive(c.network);
    EXPECT_EQ(forward_slices(caller, *group.subject, c), forward_slices(caller, *alone.subject, c))
        << example.name;
    const Jacobian a = jacobian_loop(caller, *group.subject, c, derived);
    const Jacobian b = jacobian_loop(caller, *alone.subject, c, derived);
    EXPECT_EQ(a.blocks, b.blocks) << example.name;
    compared += a.blocks.front().size();
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_THAT(group.control->faults, IsEmpty());
}

TEST(GpuGroup, WaitsOnceForAllOfAGroup) {
  const OnStandIn group(7);
  const Case c = sliced_case(trials::mlp({3, 4, 2}, Op::tanh), 1);
  Caller caller;
  forward_slices(caller, *group.subject, c);
  EXPECT_EQ(group.waits(), 2u);  // 13 slices
  jacobian_loop(caller, *group.subject, c, derive(c.network));
  EXPECT_EQ(group.waits(), 2u + 4);  // 11 rows, 2 outputs
}

TEST(GpuGroup, UploadsParametersOnceForAllOfAGroup) {
  std::vector<const float*> weights;
  const OnStandIn group(4, std::make_shared<Scripted>(
                               [&](auto&, const kernels::Product& p) { weights.push_back(p.b); }));
  Case c = trials::make_case(trials::mlp({3, 2}, Op::tanh), 4, 1);
  for (std::uint32_t r = 0; r < 4; ++r) c.split.push_back({{r}, 0});
  Caller caller;
  forward_slices(caller, *group.subject, c);
  ASSERT_EQ(weights.size(), 4u);
  EXPECT_THAT(weights, testing::Each(weights.front()));
}

TEST(GpuGroup, FindsWhatOneOfThemWritesOutside) {
  int calls = 0;
  const OnStandIn group(
      5, std::make_shared<Scripted>([&](gpu::Session& session, const kernels::Product& p) {
        if (++calls == 4) gpu_tests::write(session, p.y + p.m * p.n, 1);
      }));
  const Case c = sliced_case(trials::mlp({3, 2}, Op::tanh), 1);
  Caller caller;
  try {
    forward_slices(caller, *group.subject, c);
    FAIL() << "nothing was found";
  } catch (const SubjectFault& fault) {
    EXPECT_EQ(fault.failure(), FailureClass::out_of_bounds);
    EXPECT_THAT(fault.what(), HasSubstr("value of node 3 (linear): float 1 behind its end"));
  }
}

/// Takes groups of three and does what a test wants with one of its evaluations.
class Group final : public Subject {
 public:
  explicit Group(std::function<void(const Evaluation&, std::size_t)> script)
      : script_(std::move(script)) {}
  std::string_view name() const override { return "group"; }
  std::size_t group() const override { return 3; }
  void evaluate(const Evaluation& e) const override {
    std::copy_n(e.inputs[0], e.batch * 2, e.outputs[0]);
    script_(e, count_++);
  }

 private:
  std::function<void(const Evaluation&, std::size_t)> script_;
  mutable std::size_t count_ = 0;
};

Network copy_of_two() {
  Network n;
  n.output(n.input(2));
  return n;
}

std::pair<FailureClass, std::string> guarded(
    std::function<void(const Evaluation&, std::size_t)> script) {
  const Group subject(std::move(script));
  Case c = trials::make_case(copy_of_two(), 5, 1);
  for (std::uint32_t r = 0; r < 5; ++r) c.split.push_back({{r, r}, 0});
  Caller caller;
  try {
    const auto results = forward_slices(caller, subject, c);
    for (std::uint32_t r = 0; r < 5; ++r)
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(results[r][i], c.inputs[0].row(r)[i % 2]) << r;
    return {};
  } catch (const SubjectFault& fault) {
    return {fault.failure(), fault.what()};
  }
}

TEST(CallerRunEach, GuardsEveryCallOfAGroup) {
  EXPECT_EQ(guarded([](const auto&, std::size_t) {}).first, FailureClass::none);
  auto [failure, what] = guarded([](const Evaluation& e, std::size_t i) {
    if (i == 4) e.outputs[0][4] = 0;
  });
  EXPECT_EQ(failure, FailureClass::out_of_bounds);
  EXPECT_EQ(what, "group wrote outside output 0: float 1 behind the end of it");
  std::tie(failure, what) = guarded([](const Evaluation& e, std::size_t i) {
    if (i == 1) e.outputs[0][3] = std::bit_cast<float>(unwritten_bits);
  });
  EXPECT_EQ(failure, FailureClass::unwritten);
  EXPECT_EQ(what, "group left 1 of 4 elements unwritten, first output 0, entry 1, row 0, column 1");
  std::tie(failure, what) = guarded([](const auto&, std::size_t i) {
    if (i == 2) throw std::runtime_error("no more");
  });
  EXPECT_EQ(failure, FailureClass::exception);
  EXPECT_EQ(what, "group threw: no more");
  std::tie(failure, what) = guarded([](const auto&, std::size_t i) {
    if (i == 3) _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  });
  EXPECT_EQ(failure, FailureClass::fp_environment);
}

TEST(CallerRun, HandsOnFaultsThatSubjectsFindThemselves) {
  const auto [failure, what] = guarded([](const auto&, std::size_t) {
    throw SubjectFault(FailureClass::out_of_bounds, "group wrote outside its workspace");
  });
  EXPECT_EQ(failure, FailureClass::out_of_bounds);
  EXPECT_EQ(what, "group wrote outside its workspace");
}

}  // namespace
}  // namespace ulpfuzz
