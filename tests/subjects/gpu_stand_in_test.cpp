#include "support/gpu_stand_in.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace ulpfuzz::stand_in {
namespace {

using kernels::DeviceError;
using kernels::Map;

struct Fixture {
  std::shared_ptr<Control> control = std::make_shared<Control>();
  std::unique_ptr<GpuStandIn> device;
  Fixture() { open(); }
  void open() { device = std::make_unique<GpuStandIn>(control); }
  float* floats(std::size_t n) { return static_cast<float*>(device->allocate(n * sizeof(float))); }
  void close(std::initializer_list<void*> memory) {
    for (void* m : memory) device->release(m);
    device.reset();
  }
};

// The message of the DeviceError that f throws, with "!" in front if it is sticky; "" if none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const DeviceError& error) {
    return (error.sticky() ? "!" : "") + std::string(error.what());
  }
  return {};
}

Map doubled(float* x, std::size_t n, float* y) {
  return {.kind = Map::Kind::add, .x = x, .z = x, .count = n, .y = y};
}

TEST(GpuStandIn, DoesNothingBeforeItIsSynchronized) {
  Fixture f;
  float in[3] = {1, 2, 3}, out[3] = {};
  float* const x = f.floats(3);
  float* const y = f.floats(3);
  f.device->upload(x, in, sizeof(in));
  f.device->launch(doubled(x, 3, y), nullptr);
  f.device->download(out, y, sizeof(out));
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_NE(out[0], 2.0f);
  f.device->synchronize();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out[i], 2.0f * in[i]);
  f.close({x, y});
  EXPECT_EQ(f.control->faults, std::vector<std::string>{});
  EXPECT_EQ(f.control->live, 0u);
}

// Streams 1, 2, 3 write the same float; what stays is the last one's.
std::set<float> outcomes(bool join_each) {
  std::set<float> seen;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Fixture f;
    f.device.reset();
    f.control->seed = seed;
    f.open();
    float* const x = f.floats(1);
    float y = 0;
    for (unsigned s = 1; s <= 3; ++s) {
      f.device->select(s);
      if (join_each) f.device->join();
      f.device->fill(x, __builtin_bit_cast(std::uint32_t, static_cast<float>(s)), 1);
    }
    f.device->select(0);
    f.device->join();
    f.device->download(&y, x, sizeof(y));
    f.device->synchronize();
    seen.insert(y);
    f.close({x});
  }
  return seen;
}

TEST(GpuStandIn, ServesStreamsInAnyOrderThatForkAndJoinLeaveOpen) {
  EXPECT_EQ(outcomes(false), (std::set<float>{1, 2, 3}));
  EXPECT_EQ(outcomes(true), (std::set<float>{3}));
}

TEST(GpuStandIn, BeginsOtherStreamsAfterWhatIsQueuedWhereTheyFork) {
  std::size_t early[2] = {};  // not forked, forked
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const bool fork : {false, true}) {
      Fixture f;
      f.device.reset();
      f.control->seed = seed;
      f.open();
      float in = 5, out = 0;
      float* const x = f.floats(1);
      f.device->fill(x, 0, 1);
      f.device->upload(x, &in, sizeof(in));
      if (fork) f.device->fork();
      f.device->select(2);
      f.device->download(&out, x, sizeof(out));
      f.device->synchronize();
      early[fork] += out != 5;
      f.close({x});
    }
  EXPECT_GT(early[0], 0u);
  EXPECT_EQ(early[1], 0u);
}

TEST(GpuStandIn, FindsAddressesOutsideAllocationsWhenTheyAreUsedAndStaysBroken) {
  for (int what = 0; what < 5; ++what) {
    Fixture f;
    float host[4] = {};
    float* const x = f.floats(4);
    if (what == 0) f.device->upload(x + 1, host, sizeof(host));
    if (what == 1) f.device->download(host, x - 1, sizeof(host));
    if (what == 2) f.device->fill(host, 0, 4);
    if (what == 3) f.device->launch(doubled(x, 4, x + 2), nullptr);
    if (what == 4) f.device->launch(kernels::Softmax{.x = x, .rows = 1, .n = 5, .y = x}, nullptr);
    const std::string illegal = error_of([&] { f.device->synchronize(); });
    EXPECT_EQ(illegal.rfind("!cudaStreamSynchronize: an illegal memory access", 0), 0u) << illegal;
    const std::string later = error_of([&] { f.device->allocate(1); });
    EXPECT_EQ(later.rfind("!cudaMalloc: an illegal memory access", 0), 0u) << later;
    f.close({x});
    EXPECT_EQ(f.control->faults, std::vector<std::string>{});
  }
}

TEST(GpuStandIn, FindsLeaksAndDoubleReleasesAndChangedGuardBytes) {
  Fixture f;
  char* const leaked = static_cast<char*>(f.device->allocate(5));
  void* const twice = f.device->allocate(0);
  f.device->release(twice);
  f.device->release(twice);
  leaked[-1] = 0;
  f.device->synchronize();
  leaked[5 + 2] = 0;
  f.device->synchronize();
  EXPECT_EQ(f.control->live, 1u);
  f.device.reset();
  EXPECT_EQ(f.control->faults,
            (std::vector<std::string>{"release of what is not allocated, or not any more",
                                      "wrote 1 bytes in front of an allocation of 5",
                                      "wrote 2 bytes behind an allocation of 5",
                                      "1 allocations leaked"}));
}

TEST(GpuStandIn, FindsHostMemoryThatChangesUnderAnUploadAndReleasesOfMemoryInUse) {
  Fixture f;
  float in = 1;
  float* const x = f.floats(1);
  f.device->upload(x, &in, sizeof(in));
  in = 2;
  f.device->synchronize();
  f.device->fill(x, 0, 1);
  f.device->release(x);
  EXPECT_EQ(f.control->faults,
            (std::vector<std::string>{"host memory changed while its upload was queued",
                                      "release while work is queued"}));
  f.close({});
}

TEST(GpuStandIn, GivesAlignedMemoryAlsoOfNoBytesUntilThereIsNoneLeft) {
  Fixture f;
  f.control->capacity = 1000;
  std::vector<void*> memory;
  for (const std::size_t bytes : {0, 1, 3, 256, 740}) memory.push_back(f.device->allocate(bytes));
  for (void* m : memory) {
    ASSERT_NE(m, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m) % 256, 0u);
  }
  EXPECT_EQ(error_of([&] { f.device->allocate(1); }), "cudaMalloc: out of memory");
  f.device->release(memory.back());
  memory.back() = f.device->allocate(1);
  for (void* m : memory) f.device->release(m);
  EXPECT_EQ(f.control->live, 0u);
  f.close({});
  EXPECT_EQ(f.control->faults, std::vector<std::string>{});
}

TEST(GpuStandIn, FailsTheCallThatItIsTold) {
  for (const bool sticky : {false, true}) {
    Fixture f;
    f.control->failure = Failure{.call = Call::fill, .index = 1, .status = "bad", .sticky = sticky};
    float* const x = f.floats(2);
    f.device->fill(x, 0, 2);
    const std::string mark = sticky ? "!" : "";
    EXPECT_EQ(error_of([&] { f.device->fill(x, 0, 1); }), mark + "cudaMemsetAsync: bad");
    const std::string later = error_of([&] { f.device->fill(x, 0, 1); });
    EXPECT_EQ(later, sticky ? "!cudaMemsetAsync: bad" : "");
    EXPECT_EQ(error_of([&] { f.device->synchronize(); }),
              sticky ? "!cudaStreamSynchronize: bad" : "");
    EXPECT_EQ(f.control->count(Call::fill), 3u);
    f.close({x});
    EXPECT_EQ(f.control->faults, std::vector<std::string>{});
  }
}

TEST(GpuStandIn, ReportsFailuresOfQueuedWorkWhereItWaits) {
  Fixture f;
  f.control->failure = Failure{.call = Call::launch, .index = 0, .status = "bad", .late = true};
  float* const x = f.floats(2);
  f.device->fill(x, 0, 2);
  EXPECT_EQ(error_of([&] { f.device->launch(doubled(x, 2, x), nullptr); }), "");
  EXPECT_EQ(error_of([&] { f.device->synchronize(); }),
            "!cudaStreamSynchronize: bad (of cudaLaunchKernel)");
  f.close({x});
}

}  // namespace
}  // namespace ulpfuzz::stand_in
