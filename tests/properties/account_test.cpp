#include "../../properties/account.hpp"

#include <gtest/gtest.h>

#include "cases.hpp"

namespace ulpfuzz::properties {
namespace {

Judged passing(double difference, double sound, double probable) {
  return {Ruling::pass, Tier::sound, FailureClass::none, difference, sound, probable};
}

Judged alarming(double difference, double sound, double probable) {
  return {Ruling::alarm, Tier::probabilistic, FailureClass::none, difference, sound, probable};
}

Verdict report(const Account& account, bool fits) {
  Verdict verdict;
  account.report(fits, verdict);
  return verdict;
}

TEST(Account, ReportsTheLargestShareOfTheBoundThatApplies) {
  Account account;
  account.add({}, 1, 2, 0, passing(1, 10, 4));
  account.add({}, 1, 2, 0, passing(2, 10, 20));
  EXPECT_DOUBLE_EQ(report(account, true).share, 0.25);
  EXPECT_DOUBLE_EQ(report(account, false).share, 0.2);
  EXPECT_EQ(trials::count(report(account, true), Tier::sound), 2u);
}

TEST(Account, FailsByAnAlarmThatSurvives) {
  Account account;
  account.add({}, 1, 2, 0, alarming(0.05, 0.08, 0.01));
  account.settle_alarms({true});
  ASSERT_TRUE(account.failed());
  const Verdict verdict = report(account, true);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.failure, FailureClass::beyond_bound);
  EXPECT_DOUBLE_EQ(verdict.share, 5);
  EXPECT_EQ(trials::count(verdict, Tier::probabilistic), 1u);
}

TEST(Account, PassesADismissedAlarmAsSoundWhereTheSoundBoundSaysSomething) {
  Account account;
  account.add({}, 1, 2, 0, alarming(0.05, 0.08, 0.01));
  account.settle_alarms({false});
  const Verdict verdict = report(account, true);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(trials::count(verdict, Tier::sound), 1u);
  EXPECT_DOUBLE_EQ(verdict.share, 0.05 / 0.08);
}

TEST(Account, IsVacuousByADismissedAlarmWhereTheSoundBoundSaysNothing) {
  Account account;
  account.add({}, 1, 2, 0, alarming(0.5, 0.8, 0.01));
  account.settle_alarms({false});
  const Verdict verdict = report(account, true);
  EXPECT_EQ(verdict.outcome, Outcome::vacuous);
  EXPECT_EQ(trials::count(verdict, Tier::none), 1u);
  EXPECT_FALSE(verdict.reason.empty());
}

TEST(Account, KeepsTheWorstFailure) {
  Account account;
  Judged j = passing(3, 1, 1);
  j.ruling = Ruling::fail;
  j.failure = FailureClass::beyond_bound;
  account.add({.row = 1}, 1, 2, 0, j);
  j.difference = 30;
  account.add({.row = 2}, 1, 2, 0, j);
  j.difference = 4;
  account.add({.row = 3}, 1, 2, 0, j);
  EXPECT_EQ(account.failure().place.row, 2u);
  EXPECT_DOUBLE_EQ(report(account, false).share, 30);
}

TEST(Account, IsVacuousWithoutElements) {
  EXPECT_EQ(report(Account(), false).outcome, Outcome::vacuous);
}

TEST(Account, FailsByAContradictedMask) {
  Account account;
  account.count(Tier::bit_equal, 1);
  account.contradiction(true);
  const Verdict verdict = report(account, false);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.cause, "wrong mask");
}

TEST(ModelFits, NeedsRandomLowBitsInAllThatIsNotZero) {
  Case c = trials::mlp({8, 16}, 8);
  EXPECT_TRUE(model_fits(c));
  std::fill(c.parameters[1].data.begin(), c.parameters[1].data.end(), 0.0f);
  EXPECT_TRUE(model_fits(c));
  std::fill(c.inputs[0].data.begin(), c.inputs[0].data.end(), 2.0f);
  EXPECT_FALSE(model_fits(c));
}

}  // namespace
}  // namespace ulpfuzz::properties
