#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "launches.hpp"
#include "on_device.hpp"
#include "ulpfuzz/kernels/cuda/blas.hpp"

namespace ulpfuzz::kernels {
namespace {

using namespace testing_support;

// The status of a forked child that does it.
template <class Use>
int status_in_child(const Use& use) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = use();
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class CudaErrors : public OnDevice {};

TEST_F(CudaErrors, TooMuchMemoryIsRefusedAndTheDeviceGoesOn) {
  try {
    device().allocate(std::size_t{1} << 50);
    FAIL() << "a petabyte";
  } catch (const DeviceError& error) {
    EXPECT_FALSE(error.sticky());
    EXPECT_NE(std::string(error.what()).find("cudaErrorMemoryAllocation"), std::string::npos)
        << error.what();
  }
  const auto host = make_host_device();
  const Problem problem = std::move(gemm_problems(Values::ordinary).front());
  EXPECT_EQ(difference(problem, run(device(), problem), run(*host, problem)), "");
}

TEST_F(CudaErrors, MemoryThatIsKeptIsGivenUpForAnotherSize) {
  constexpr std::size_t most = std::size_t{1} << 42;
  std::size_t bytes = std::size_t{1} << 30;
  for (; bytes < most;
       bytes *= 2) {  // each released before the next, so that only one fits at last
    try {
      device().release(device().allocate(bytes));
    } catch (const DeviceError& error) {
      EXPECT_FALSE(error.sticky());
      break;
    }
  }
  EXPECT_LT(bytes, most);
  device().release(device().allocate(bytes / 4 + 1));
}

TEST_F(CudaErrors, TooManyBlocksAreRefused) {
  Map map;
  map.kind = Map::Kind::fill;
  map.count = std::size_t{1} << 50;
  EXPECT_THROW(device().launch(map, nullptr), std::invalid_argument);
  device().synchronize();
}

TEST_F(CudaErrors, AStreamThatIsNoneIsRefused) {
  EXPECT_THROW(device().select(device().streams()), std::invalid_argument);
}

// 0: lost, and every call after that says so.
int lose_device() {
  const auto device = cuda::make_device();
  Map map;
  map.kind = Map::Kind::fill;
  map.count = 1;
  map.y = reinterpret_cast<float*>(std::uintptr_t{1} << 12);  // nobody's
  const auto is_lost = [&](const auto& call) {
    try {
      call();
      return false;
    } catch (const DeviceError& error) {
      return error.sticky();
    }
  };
  if (!is_lost([&] {
        device->launch(map, nullptr);
        device->synchronize();
      }))
    return 1;
  if (!is_lost([&] { device->synchronize(); })) return 2;
  if (!is_lost([&] { device->allocate(std::size_t{1} << 28); })) return 3;
  return 0;
}

// In a process of its own, executed anew: what is lost stays lost.
TEST_F(CudaErrors, AnIllegalAddressLosesTheDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(lose_device()), testing::ExitedWithCode(0), "");
}

TEST_F(CudaErrors, AForkedChildIsToldThatItHasNoDevice) {
  device().synchronize();
  const auto blas = cuda::make_blas(device());
  const int status = status_in_child([&] {
    int refused = 0;
    const auto refuses = [&](const auto& call) {
      try {
        call();
      } catch (const DeviceError& error) {
        refused += error.sticky() && std::string(error.what()).find("fork") != std::string::npos;
      }
    };
    refuses([&] { device().allocate(1); });
    refuses([&] { device().launch(Map{}, nullptr); });
    refuses([&] { device().synchronize(); });
    refuses([&] { blas->gemv({.m = 1, .n = 1}); });
    refuses([] { cuda::make_device(); });
    return refused;
  });
  EXPECT_EQ(status, 5);
  device().synchronize();  // and the parent has it still
}

// Asking must not initialise CUDA, or children could not use it.
TEST_F(CudaErrors, AChildForkedAfterAskingHasADevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(status_in_child([] {
                if (cuda::unavailable()) return 1;
                cuda::make_device()->synchronize();
                return 0;
              })),
              testing::ExitedWithCode(0), "");
}

TEST(Blas, NeedsACudaDevice) {
  const auto host = make_host_device();
  EXPECT_THROW(cuda::make_blas(*host), std::invalid_argument);
}

class WithoutDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::unavailable()) GTEST_SKIP() << "there is a CUDA device";
  }
};

TEST_F(WithoutDevice, SaysWhy) {
  EXPECT_FALSE(cuda::unavailable()->empty());
  EXPECT_EQ(cuda::unavailable(), cuda::unavailable());
  EXPECT_EQ(cuda::environment(), "no device: " + *cuda::unavailable());
  EXPECT_EQ(cuda::architecture(), 0);
}

TEST_F(WithoutDevice, MakingOneIsAnErrorThatSaysWhy) {
  try {
    cuda::make_device();
    FAIL() << "made a device";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(error.sticky());
    EXPECT_NE(std::string(error.what()).find(*cuda::unavailable()), std::string::npos);
  }
}

TEST_F(WithoutDevice, ChildrenFindTheSameAndNothingBreaks) {
  const auto reason = cuda::unavailable();
  EXPECT_EQ(status_in_child([&] { return cuda::unavailable() == reason ? 0 : 1; }), 0);
  EXPECT_EQ(status_in_child([&] {
              try {
                cuda::make_device();
              } catch (const DeviceError&) {
                return 7;
              }
              return 1;
            }),
            7);
}

}  // namespace
}  // namespace ulpfuzz::kernels
