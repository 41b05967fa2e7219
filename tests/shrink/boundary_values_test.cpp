#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary_subjects.hpp"

namespace ulpfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using turning::found_in;
using turning::of;

/// relu that goes wrong from a number on.
class Threshold final : public KernelSubject {
 public:
  Threshold(float from, float result) : from_(from), result_(result) {}
  std::string_view name() const override { return "threshold"; }

 protected:
  void activation(Op, float, const float* x, std::size_t count, float* y) const override {
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] >= from_ ? result_ : std::max(x[i], 0.0f);
  }

 private:
  float from_, result_;
};

Case relu_case(float x) {
  Case c;
  c.network.output(c.network.activation(Op::relu, c.network.input(1)));
  c.inputs = {Tensor(1, 1, {x})};
  c.split = {{{0}, 0}};
  return c;
}

TEST(Boundaries, NameTheNumbersBetweenWhichItTurns) {
  const Threshold subject(0x1.62e43p+6f, std::numeric_limits<float>::infinity());
  const auto value = of(found_in(subject, relu_case(100)), "input 0[0][0]");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->fails, "0x1.62e43p+6");
  EXPECT_EQ(value->passes, "0x1.62e42ep+6");
  EXPECT_THAT(value->text, StartsWith("fails from 0x1.62e43p+6 (88.7228394) on upwards"));
  EXPECT_THAT(value->text, HasSubstr("passes at 0x1.62e42ep+6 (88.7228317)"));
}

TEST(Boundaries, NameASwitchThatShowsInTheShareAlone) {
  const Threshold subject(3, 7);
  const auto value = of(found_in(subject, relu_case(5)), "input 0[0][0]");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->fails, "0x1.8p+1");
  EXPECT_EQ(value->passes, "0x1.7ffffep+1");
}

// An error that grows with the number crosses its bound somewhere.
TEST(Boundaries, AreNotWhereAShareCreepsOverItsBound) {
  class Creeping final : public KernelSubject {
   public:
    std::string_view name() const override { return "creeping"; }

   protected:
    void add(const float* a, const float* b, std::size_t count, float* y) const override {
      for (std::size_t i = 0; i < count; ++i) y[i] = a[i] + b[i] + 0x1p-30f * a[i] * a[i];
    }
  };
  Case c;
  const NodeId x = c.network.input(1);
  c.network.output(c.network.add(x, c.network.parameter(1, 1)));
  c.inputs = {Tensor(1, 1, {1000.7f})};
  c.parameters = {Tensor(1, 1, {1.3f})};
  c.split = {{{0}, 0}};
  EXPECT_FALSE(of(found_in(Creeping(), c), "input"));
}

// To bf16 every other stretch of numbers rounds well: no end of it is a switch.
TEST(Boundaries, AreNotWhereNumbersHappenToRoundWell) {
  class Coarse final : public KernelSubject {
   public:
    std::string_view name() const override { return "coarse"; }

   protected:
    void add(const float* a, const float* b, std::size_t count, float* y) const override {
      for (std::size_t i = 0; i < count; ++i) y[i] = std::round((a[i] + b[i]) * 128) / 128;
    }
  };
  Case c;
  const NodeId x = c.network.input(1);
  c.network.output(c.network.add(x, c.network.parameter(1, 1)));
  c.inputs = {Tensor(1, 1, {1.0037f})};
  c.parameters = {Tensor(1, 1, {1.3f})};
  c.split = {{{0}, 0}};
  EXPECT_FALSE(of(found_in(Coarse(), c), "input"));
}

}  // namespace
}  // namespace ulpfuzz
