#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "subjects/gpu_profiles.hpp"
#include "subjects/trials.hpp"

namespace ulpfuzz {
namespace {

using gpu_tests::Plain;
using gpu_tests::Scripted;
using testing::HasSubstr;
using trials::Trial;

using trials::loops;
std::unique_ptr<const Subject> plain() { return on_host(std::make_shared<Plain>()); }

// Row ops add up a row in another order than `loops`.
bool adds_rows(const Network& network) {
  return std::any_of(network.nodes().begin(), network.nodes().end(), [](const Node& n) {
    switch (n.op) {
      case Op::softmax:
      case Op::layer_norm:
      case Op::rms_norm:
      case Op::softmax_grad:
      case Op::layer_norm_grad:
      case Op::rms_norm_grad:
        return true;
      default:
        return false;
    }
  });
}

std::size_t expect_same_bits(const Subject& subject, const Trial& trial, const std::string& what) {
  const auto expected = trial.run(loops());
  const auto got = trial.run(subject);
  std::size_t compared = 0;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    EXPECT_EQ(got[o].size(), expected[o].size());
    for (std::size_t i = 0; i < got[o].size() && !testing::Test::HasFailure(); ++i, ++compared)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[o][i]),
                std::bit_cast<std::uint32_t>(expected[o][i]))
          << what << ", output " << o << " [" << i << "]";
  }
  return compared;
}

TEST(GpuSubject, WithPlainKernelsGivesTheBitsOfPlainLoops) {
  const auto subject = plain();
  std::size_t compared = 0;
  unsigned seed = 1;
  for (const examples::Example& example : examples::all())
    for (const Network& network : trials::with_derivatives(example.network)) {
      if (adds_rows(network)) continue;
      for (const std::size_t batch : {0, 1, 2, 7}) {
        compared += expect_same_bits(*subject, Trial(network, batch, seed++),
                                     example.name + ": " + describe(network));
        ASSERT_FALSE(HasFailure());
      }
    }
  EXPECT_GT(compared, 50000u);
}

// One product with its activation against two nodes, of which the first is an output as well.
TEST(GpuSubject, AppliesActivationsToProductsWithoutChangingBits) {
  const auto subject = plain();
  for (int op = 0; op < op_count; ++op) {
    const Op phi = static_cast<Op>(op);
    if (!is_activation(phi)) continue;
    Network fused;
    fused.output(fused.activation(phi, examples::build::dense(fused, fused.input(5), 19)));
    Network apart;
    const NodeId z = examples::build::dense(apart, apart.input(5), 19);
    apart.output(apart.activation(phi, z));
    apart.output(z);
    const auto a = Trial(fused, 6, 3).run(*subject);
    const auto b = Trial(apart, 6, 3).run(*subject);
    ASSERT_EQ(a[0].size(), 6u * 19);
    EXPECT_EQ(a[0], b[0]) << name(phi);
  }
}

TEST(GpuSubject, HandsOnInputsThatAreOutputs) {
  Network n;
  const NodeId x = n.input(3);
  const NodeId p = n.parameter(1, 3);
  n.output(x);
  n.output(n.reshape(x, Shape{3, 1}));
  n.output(n.add(x, p));
  n.output(n.add(x, p));
  n.output(p);
  EXPECT_EQ(expect_same_bits(*plain(), Trial(n, 4, 1), "outputs"), 4u * 12 + 3);
}

// A trial whose fourth node is linear, with a subject that does something wrong after it.
struct Fault {
  FailureClass failure = FailureClass::none;
  std::string what;
};
Fault fault_of(Scripted::Script script, std::size_t batch = 3) {
  const Trial trial(trials::mlp({5, 4}, Op::relu), batch, 1);
  try {
    trial.run(*on_host(std::make_shared<Scripted>(std::move(script))));
    return {};
  } catch (const SubjectFault& fault) {
    return {fault.failure(), fault.what()};
  }
}

TEST(GpuSubject, FindsWhatIsWrittenBehindAValue) {
  const Fault fault = fault_of([](gpu::Session& session, const kernels::Product& p) {
    gpu_tests::write(session, p.y + p.m * p.n + 1, 1);
  });
  EXPECT_EQ(fault.failure, FailureClass::out_of_bounds);
  EXPECT_EQ(fault.what, "simt/test wrote outside value of node 3 (linear): float 2 behind its end");
}

TEST(GpuSubject, FindsWhatIsWrittenBeforeAValue) {
  const Fault fault = fault_of([](gpu::Session& session, const kernels::Product& p) {
    gpu_tests::write(session, p.y - 3, 2);
  });
  EXPECT_EQ(fault.failure, FailureClass::out_of_bounds);
  EXPECT_EQ(fault.what,
            "simt/test wrote outside value of node 3 (linear): float 3 before its start");
}

TEST(GpuSubject, FindsWhatIsWrittenAroundInputsParametersAndScratch) {
  using kernels::Product;
  const auto write = [](gpu::Session& s, const float* at) {
    gpu_tests::write(s, const_cast<float*>(at), 1);
  };
  EXPECT_THAT(fault_of([&](gpu::Session& s, const Product& p) { write(s, p.a + p.m * p.k); }).what,
              HasSubstr("outside input 0: float 1 behind its end"));
  EXPECT_THAT(fault_of([&](gpu::Session& s, const Product& p) { write(s, p.b - 1); }).what,
              HasSubstr("outside parameter 0: float 1 before its start"));
  EXPECT_THAT(fault_of([&](gpu::Session& s, const Product&) { write(s, s.scratch(7) + 7); }).what,
              HasSubstr("outside scratch memory of node 3 (linear): float 1 behind its end"));
}

TEST(GpuSubject, LeavesUnwrittenElementsToBeFound) {
  const Fault fault = fault_of([](gpu::Session& session, const kernels::Product& p) {
    session.device().fill(p.y + 4, unwritten_bits, 2);
  });
  EXPECT_EQ(fault.failure, FailureClass::unwritten);
  EXPECT_THAT(fault.what, HasSubstr("left 2 of 12 elements unwritten, first output 0, entry 1"));
}

TEST(GpuSubject, HasPoisonInScratchAndValues) {
  float scratch = 0;
  float value = 0;
  const Fault fault = fault_of([&](gpu::Session& session, const kernels::Product& p) {
    scratch = session.scratch(1)[0];
    value = p.y[-1];
  });
  EXPECT_EQ(fault.failure, FailureClass::none);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(scratch), unwritten_bits);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(value), unwritten_bits);
}

TEST(GpuSubject, GivesMuchScratchMemoryWithoutMovingValues) {
  const auto script = [](gpu::Session& session, const kernels::Product&) {
    for (std::size_t floats : {std::size_t{1} << 15, std::size_t{1} << 18, std::size_t{1} << 20})
      gpu_tests::write(session, session.scratch(floats), floats);
  };
  const auto subject = on_host(std::make_shared<Scripted>(script));
  for (int i = 0; i < 3; ++i)
    EXPECT_GT(expect_same_bits(*subject, Trial(trials::mlp({9, 7, 3}, Op::relu), 5, 1), "mlp"), 0u);
}

TEST(GpuSubject, MayBeSharedByThreads) {
  const auto subject = plain();
  const Trial trial(trials::mlp({17, 33, 5}, Op::tanh), 9, 2);
  const auto expected = trial.run(*subject);
  std::vector<std::thread> threads;
  std::vector<int> differing(4, 0);
  for (int& count : differing)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) count += trial.run(*subject) != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differing, std::vector<int>(4, 0));
}

// The parent has a device; the child must make its own.
TEST(GpuSubject, MakesAnotherDeviceAfterAFork) {
  int made = 0;
  gpu::DeviceSource source = gpu::host_source();
  source.make = [&made] {
    ++made;
    return kernels::make_host_device();
  };
  const auto subject = gpu::make_gpu_subject("simt/test", std::make_shared<Plain>(), source);
  const Trial trial(trials::mlp({3, 2}, Op::relu), 2, 1);
  EXPECT_EQ(made, 0);
  const auto expected = trial.run(*subject);
  trial.run(*subject);
  EXPECT_EQ(made, 1);
  const pid_t child = fork();
  if (child == 0) _exit(trial.run(*subject) == expected && made == 2 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ulpfuzz
