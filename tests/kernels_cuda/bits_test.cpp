#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "launches.hpp"
#include "on_device.hpp"

namespace ulpfuzz::kernels {
namespace {

using namespace testing_support;

struct Family {
  const char* name;
  std::vector<Problem> (*problems)(Values);
};

std::string name_of(const testing::TestParamInfo<Family>& info) { return info.param.name; }

const auto families = testing::Values(Family{"Gemm", gemm_problems}, Family{"Gemv", gemv_problems},
                                      Family{"Unit", unit_problems}, Family{"Rows", row_problems},
                                      Family{"ColumnSum", column_sum_problems},
                                      Family{"Map", map_problems}, Family{"Move", move_problems});

class DeviceBits : public OnDevice, public testing::WithParamInterface<Family> {};

TEST_P(DeviceBits, AreThoseOfTheHost) {
  const auto host = make_host_device();
  for (const Values values : {Values::ordinary, Values::special})
    for (const Problem& problem : GetParam().problems(values))
      EXPECT_EQ(difference(problem, run(device(), problem), run(*host, problem)), "");
}

// Other blocks at the same time, in another order.
TEST_P(DeviceBits, AreTheSameEveryTime) {
  for (const Problem& problem : GetParam().problems(Values::ordinary)) {
    Problem exact = problem.copy();
    exact.claim = {};
    const std::vector<float> first = run(device(), problem);
    for (int repetition = 0; repetition < 3; ++repetition)
      EXPECT_EQ(difference(exact, run(device(), problem), first), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, DeviceBits, families, name_of);

class HostBits : public testing::TestWithParam<Family> {};

// Says of the problems above that they are worth comparing: they compute, inside their arrays, what
// does not depend on the order of blocks.
TEST_P(HostBits, AreTheSameInAnyOrderOfBlocks) {
  const auto ascending = make_host_device(), shuffled = make_host_device(BlockOrder::shuffled);
  for (const Values values : {Values::ordinary, Values::special})
    for (const Problem& problem : GetParam().problems(values)) {
      Problem exact = problem.copy();
      exact.claim = {};
      const std::vector<float> result = run(*ascending, problem);
      EXPECT_NE(std::memcmp(result.data(), problem.memory.data(), 4 * result.size()), 0)
          << problem.name;
      EXPECT_EQ(difference(exact, run(*shuffled, problem), result), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostBits, families, name_of);

TEST(Difference, FindsAnyBitAndAWriteIntoAGap) {
  const Problem problem = std::move(move_problems(Values::ordinary).front());
  const std::vector<float> a = problem.memory;
  std::vector<float> b = a;
  EXPECT_EQ(difference(problem, a, b), "");
  b[0] = 1;  // in the gap in front of all
  EXPECT_NE(difference(problem, a, b), "");
  b = a;
  b[64] = std::nextafter(b[64], 9.0f);
  EXPECT_NE(difference(problem, a, b), "");
}

class Empty : public OnDevice {};

TEST_F(Empty, LaunchesDoNothing) {
  for (const Problem& problem : empty_problems())
    EXPECT_EQ(difference(problem, run(device(), problem), problem.memory), "") << problem.name;
}

TEST(EmptyOnTheHost, LaunchesDoNothing) {
  const auto host = make_host_device();
  for (const Problem& problem : empty_problems())
    EXPECT_EQ(difference(problem, run(*host, problem), problem.memory), "") << problem.name;
}

}  // namespace
}  // namespace ulpfuzz::kernels
