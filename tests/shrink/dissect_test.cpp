#include "ulpfuzz/shrink/dissect.hpp"

#include <gmock/gmock.h>

#include "boundary_subjects.hpp"

namespace ulpfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using turning::Altered;
using turning::Court;
using turning::linear_case;
using turning::LinearCall;
using turning::off_where;

Dissection taken_apart(const Subject& subject, const Case& c, const DissectOptions& options = {}) {
  Court court(subject);
  const Shrunk failing = court.failing(c);
  EXPECT_TRUE(failing.verdict.failed());
  return dissect(failing, std::nullopt, court.judge(), options);
}

const Component& component(const Dissection& d, const std::string& name) {
  for (const Component& c : d.components)
    if (c.name == name) return c;
  throw std::runtime_error("no component " + name);
}

TEST(Dissect, CallsABiasThatIsNeededCritical) {
  const Altered subject([](const LinearCall& c) {
    if (c.bias == nullptr || c.rows < 2) return;
    for (std::size_t i = 0; i < c.rows * c.n; ++i) c.y[i] -= c.bias[i % c.n];
  });
  const Dissection d = taken_apart(subject, linear_case(2, 1, 1, true));
  const Component& bias = component(d, "bias of linear 3");
  EXPECT_EQ(bias.weight, Weight::critical);
  EXPECT_EQ(bias.tried, 2);
  EXPECT_EQ(bias.failed, 0);
  EXPECT_EQ(component(d, "parameter 1[0][0]").weight, Weight::irrelevant);
}

TEST(Dissect, CallsARowIrrelevantIfAnyOtherFailsToo) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 1; });
  const Dissection d = taken_apart(subject, linear_case(2, 1, 1));
  EXPECT_EQ(component(d, "row 1").weight, Weight::irrelevant);
  EXPECT_EQ(component(d, "row 1").tried, 32);
  EXPECT_EQ(component(d, "row 1").failed, 32);
}

TEST(Dissect, CallsANumberSensitiveIfSomeOthersFail) {
  const auto subject = off_where([](const LinearCall& c) { return c.k > 0 && c.x[0] > 0; });
  const Dissection d = taken_apart(subject, linear_case(1, 2, 1));
  EXPECT_EQ(component(d, "input 0[0][0]").weight, Weight::sensitive);
  EXPECT_EQ(component(d, "input 0[0][1]").weight, Weight::irrelevant);
}

TEST(Dissect, CallsANumberCriticalIfNoOtherFails) {
  const auto subject = off_where([](const LinearCall& c) { return c.k > 1 && c.x[1] == 1.5f; });
  Case c = linear_case(1, 2, 1);
  c.inputs[0].data[1] = 1.5f;
  const Dissection d = taken_apart(subject, c);
  EXPECT_EQ(component(d, "input 0[0][1]").weight, Weight::critical);
  EXPECT_EQ(component(d, "input 0[0][1]").failed, 0);
}

// Where another op leaves nothing to compare, that says nothing of the op that stands there.
TEST(Dissect, DoesNotCountWhatCannotBeJudged) {
  const Judge judge = [](const Case& x) {
    const Op op = x.output_node().op;
    Verdict v;
    v.outcome = op == Op::tanh || op == Op::sigmoid ? Outcome::fail : Outcome::vacuous;
    v.failure = FailureClass::beyond_bound;
    v.share = 10;
    return v;
  };
  Case c;
  c.network.output(c.network.activation(Op::tanh, c.network.input(1)));
  c.inputs = {Tensor(1, 1, {0.5f})};
  c.split = {{{0}, 0}};
  const Dissection d = dissect({c, judge(c)}, std::nullopt, judge);
  EXPECT_EQ(component(d, "tanh 1").tried, 1);
  EXPECT_EQ(component(d, "tanh 1").weight, Weight::irrelevant);
}

// Every other evaluation fails: whatever stands there, nobody can say that it passes.
TEST(Dissect, CallsNothingCriticalWhereAFailureComesAndGoes) {
  unsigned calls = 0;
  const Judge judge = [&calls](const Case&) {
    Verdict v;
    if (calls++ % 2 == 0) v.outcome = Outcome::fail;
    v.failure = FailureClass::nondeterministic;
    return v;
  };
  const Case c = linear_case(2, 2, 1);
  const Dissection d = dissect({c, judge(c)}, std::nullopt, judge, {.confirmation = {2, 5}});
  EXPECT_FALSE(d.components.empty());
  for (const Component& part : d.components)
    EXPECT_EQ(part.weight, Weight::irrelevant) << part.name;
}

Case two_layer_case() {
  std::mt19937 engine(3);
  Case c;
  Network& n = c.network;
  NodeId h = n.linear(n.input(2), n.parameter(2, 2));
  h = n.activation(Op::tanh, h);
  n.output(n.linear(h, n.parameter(1, 2)));
  c.inputs.push_back(turning::uniform(2, 2, engine));
  c.parameters.push_back(turning::uniform(2, 2, engine));
  c.parameters.push_back(turning::uniform(1, 2, engine));
  c.split = {{{0}, 0}};
  return c;
}

TEST(Dissect, NamesTheLayerThatFirstFails) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 1 && c.n == 1; });
  const Dissection d = taken_apart(subject, two_layer_case());
  ASSERT_EQ(d.layers.size(), 3);
  EXPECT_EQ(d.layers[0].op, "linear 2");
  EXPECT_EQ(d.layers[0].outcome, Outcome::pass);
  EXPECT_EQ(d.layers[1].op, "tanh 3");
  EXPECT_EQ(d.layers[1].outcome, Outcome::pass);
  EXPECT_EQ(d.layers[2].op, "linear 5");
  EXPECT_EQ(d.layers[2].outcome, Outcome::fail);
  EXPECT_EQ(d.first_op, "linear");
  EXPECT_EQ(component(d, "tanh 3").weight, Weight::irrelevant);
  EXPECT_THAT(to_text(d), HasSubstr("share by op: linear 2: "));
  EXPECT_THAT(to_text(d), HasSubstr(" (first to fail)"));
}

TEST(Dissect, FindsThePassingCaseNextToIt) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8; });
  const Dissection d = taken_apart(subject, linear_case(9, 2, 1));
  ASSERT_TRUE(d.neighbour);
  EXPECT_EQ(d.neighbour->value.batch(), 8);
  EXPECT_EQ(d.neighbour->verdict.outcome, Outcome::pass);
  EXPECT_EQ(d.other_sizes, "batch 8 instead of 9");
  EXPECT_THAT(to_text(d), HasSubstr("nearest passing case: batch 8 instead of 9"));
}

TEST(Dissect, PassesOnANeighbourThatDiffersInNumbers) {
  const auto subject = off_where([](const LinearCall& c) { return c.k > 0 && c.x[0] > 0; });
  Court court(subject);
  const Shrunk failing = court.failing(linear_case(1, 1, 1));
  Case other = failing.value;
  other.inputs[0].data[0] = -1;
  const Neighbour neighbour{"a number of another sign", other, court.judge()(other)};
  const Dissection d = dissect(failing, neighbour, court.judge());
  ASSERT_TRUE(d.neighbour);
  EXPECT_EQ(d.neighbour->edit, neighbour.edit);
  EXPECT_EQ(d.other_sizes, "");
}

TEST(Dissect, TakesWholeTensorsWhereThereAreManyNumbers) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 1; });
  const Dissection d = taken_apart(subject, linear_case(2, 20, 3));
  EXPECT_EQ(component(d, "input 0").weight, Weight::irrelevant);
  EXPECT_EQ(component(d, "parameter 0").weight, Weight::irrelevant);
  EXPECT_THAT(to_text(d), Not(HasSubstr("[0][0]")));
}

TEST(Dissect, KeepsItsBudgetAndSharesItFairly) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 1; });
  Court court(subject);
  const Shrunk failing = court.failing(linear_case(2, 2, 2));
  for (const std::uint64_t most : {0u, 3u, 40u}) {
    court.asked = 0;
    const Dissection d = dissect(failing, std::nullopt, court.judge(), {.evaluations = most});
    EXPECT_LE(court.asked, most);
    if (most == 40) {
      EXPECT_EQ(component(d, "row 0").tried, component(d, "input 0[1][1]").tried);
    }
  }
}

TEST(Dissect, SaysTheSameTwice) {
  const auto subject = off_where([](const LinearCall& c) { return c.k > 0 && c.x[0] > 0; });
  EXPECT_EQ(to_text(taken_apart(subject, two_layer_case())),
            to_text(taken_apart(subject, two_layer_case())));
}

TEST(Dissect, SaysNothingOfACaseThatPasses) {
  const Altered honest([](const LinearCall&) {});
  Court court(honest);
  EXPECT_THAT(to_text(dissect(court.failing(two_layer_case()), std::nullopt, court.judge())),
              IsEmpty());
}

TEST(DissectionText, GroupsEqualLines) {
  Dissection d;
  for (const char* n : {"input 0[0][0]", "input 0[0][1]", "input 0[1][0]", "input 0[1][1]"})
    d.components.push_back({n, Weight::irrelevant, 32, 32});
  d.components.push_back({"parameter 0[0][0]", Weight::critical, 32, 0});
  d.components.push_back({"parameter 0[0][1]", Weight::sensitive, 8, 2});
  EXPECT_EQ(to_text(d),
            "  input 0[0..1][0..1]  irrelevant  32 of 32 other numbers fail alike, each\n"
            "  parameter 0[0][0]    critical    0 of 32 other numbers fail alike\n"
            "  parameter 0[0][1]    sensitive   2 of 8 other numbers fail alike\n");
}

TEST(DissectionText, GroupsRows) {
  Dissection d;
  for (const char* n : {"row 0", "row 1", "row 2"})
    d.components.push_back({n, Weight::irrelevant, 4, 4});
  d.components.push_back({"row 3", Weight::critical, 4, 0});
  EXPECT_EQ(to_text(d),
            "  rows 0..2  irrelevant  4 of 4 other rows fail alike, each\n"
            "  row 3      critical    0 of 4 other rows fail alike\n");
}

}  // namespace
}  // namespace ulpfuzz
