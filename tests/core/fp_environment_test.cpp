#include "ulpfuzz/core/fp_environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ulpfuzz {
namespace {

float product(float a, float b) {
  volatile float x = a;
  volatile float y = b;
  return x * y;
}

class FpEnvironmentTest : public ::testing::Test {
 protected:
  ~FpEnvironmentTest() override { saved_.apply(); }

 private:
  FpEnvironment saved_ = FpEnvironment::current();
};

TEST_F(FpEnvironmentTest, IsTheDefaultOneWhereNothingChangedIt) {
  EXPECT_EQ(FpEnvironment::current(), FpEnvironment{});
  EXPECT_EQ(FpEnvironment{}.describe(), "round to nearest, FTZ off, DAZ off");
}

TEST_F(FpEnvironmentTest, AppliesRounding) {
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const FpEnvironment wanted{.rounding = mode};
    wanted.apply();
    EXPECT_EQ(FpEnvironment::current(), wanted) << wanted.describe();
    const bool up = product(1 + 0x1p-23f, 1 + 0x1p-23f) > 1 + 0x1p-22f;
    EXPECT_EQ(up, mode == FE_UPWARD);
  }
  const FpEnvironment down{.rounding = FE_DOWNWARD};
  EXPECT_EQ(down.describe(), "round down, FTZ off, DAZ off");
}

TEST_F(FpEnvironmentTest, GuardSetsTheDefaultAndRestoresWhatWas) {
  const FpEnvironment before{.rounding = FE_UPWARD};
  before.apply();
  {
    const FpGuard guard;
    EXPECT_EQ(FpEnvironment::current(), FpEnvironment{});
    EXPECT_EQ(guard.left_behind(), FpEnvironment{});
    std::fesetround(FE_DOWNWARD);
    EXPECT_EQ(guard.left_behind().rounding, FE_DOWNWARD);
  }
  EXPECT_EQ(FpEnvironment::current(), before);
}

#if defined(__SSE2__)

TEST_F(FpEnvironmentTest, AppliesFlushing) {
  EXPECT_EQ(product(0x1p-126f, 0.5f), 0x1p-127f);
  const FpEnvironment ftz{.ftz = true};
  ftz.apply();
  EXPECT_EQ(FpEnvironment::current(), ftz);
  EXPECT_EQ(product(0x1p-126f, 0.5f), 0.0f);
  const FpEnvironment daz{.daz = true};
  daz.apply();
  EXPECT_EQ(FpEnvironment::current(), daz);
  // A comparison with zero would itself read the operand as zero: scale the result up instead.
  EXPECT_EQ(product(0x1p-127f, 0x1p10f), 0.0f);
  EXPECT_EQ(daz.describe(), "round to nearest, FTZ off, DAZ on");
  FpEnvironment{}.apply();
  EXPECT_EQ(product(0x1p-127f, 0x1p10f), 0x1p-117f);
}

TEST_F(FpEnvironmentTest, SeesAChangeOfTheVectorUnitAlone) {
  const FpGuard guard;
  _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
  EXPECT_EQ(guard.left_behind().rounding, FE_UPWARD);
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  EXPECT_TRUE(guard.left_behind().ftz);
  EXPECT_FALSE(guard.left_behind().daz);
}

TEST_F(FpEnvironmentTest, GuardUndoesFlushing) {
  {
    const FpGuard guard;
    _mm_setcsr(_mm_getcsr() | 0x8040);
  }
  EXPECT_EQ(FpEnvironment::current(), FpEnvironment{});
}

#endif

}  // namespace
}  // namespace ulpfuzz
