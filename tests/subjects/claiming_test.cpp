#include "ulpfuzz/subjects/claiming.hpp"

#include <gtest/gtest.h>

#include <array>

#include "ulpfuzz/core/named_arithmetics.hpp"

namespace ulpfuzz {
namespace {

/// Nothing of it is what Subject would say by itself.
class Unlike final : public Subject {
 public:
  std::string_view name() const override { return "unlike"; }
  std::string description() const override { return "described"; }
  Arithmetic arithmetic() const override {
    Arithmetic a;
    a.elementary.tanh = 4096;
    a.elementary.exp = 1;
    return a;
  }
  std::optional<std::string> unavailable() const override { return "no device"; }
  std::optional<std::string> unsupported(const Network&) const override { return "too odd"; }
  bool deterministic() const override { return false; }
  std::string environment() const override { return "library 3"; }
  void evaluate(const Evaluation&) const override { ++one_; }
  std::size_t group() const override { return 7; }
  void evaluate_each(std::span<const Evaluation> all) const override { many_ += all.size(); }
  bool broken() const override { return true; }

  mutable std::size_t one_ = 0, many_ = 0;
};

TEST(Claiming, ForwardsAllButTheArithmetic) {
  const Unlike own;
  const Arithmetic claim = arithmetic_from("bf16").value();
  const Claiming claiming(own, claim);
  EXPECT_EQ(claiming.arithmetic(), claim);
  EXPECT_EQ(claiming.name(), "unlike");
  EXPECT_EQ(claiming.description(), "described");
  EXPECT_EQ(claiming.unavailable(), "no device");
  EXPECT_EQ(claiming.unsupported(Network{}), "too odd");
  EXPECT_FALSE(claiming.deterministic());
  EXPECT_EQ(claiming.environment(), "library 3");
  EXPECT_EQ(claiming.group(), 7u);
  EXPECT_TRUE(claiming.broken());
  const Network network;
  const std::array<Evaluation, 2> calls{Evaluation{network, {}, 0, {}, {}},
                                        Evaluation{network, {}, 0, {}, {}}};
  claiming.evaluate(calls[0]);
  claiming.evaluate_each(calls);
  EXPECT_EQ(own.one_, 1u);
  EXPECT_EQ(own.many_, 2u);
}

TEST(Claiming, LeavesLibrariesTheirFunctions) {
  const Unlike own;
  const Arithmetic claim = with_functions_of(own, arithmetic_from("tf32").value());
  EXPECT_EQ(claim.operand, Format::tf32);
  EXPECT_EQ(claim.elementary.tanh, 4096) << "of the library";
  EXPECT_EQ(claim.elementary.exp, ElementaryAccuracy{}.exp) << "no stricter than usual";
}

TEST(Claiming, ARegistryClaimsInTheSameOrder) {
  const Registry own = builtin_subjects();
  const Registry all = claiming(own, arithmetic_from("fp16").value());
  ASSERT_EQ(all.all().size(), own.all().size());
  for (std::size_t i = 0; i < own.all().size(); ++i) {
    EXPECT_EQ(all.all()[i]->name(), own.all()[i]->name());
    EXPECT_EQ(all.all()[i]->arithmetic().operand, Format::fp16);
  }
}

}  // namespace
}  // namespace ulpfuzz
