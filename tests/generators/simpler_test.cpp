#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tiny_cases.hpp"

namespace ulpfuzz::generators {
namespace {

std::vector<float> threes(const Case& c, NodeId id) {
  return std::vector<float>(c.batch() * c.network.node(id).shape.size(), 3.5f);
}

// A random case, and of each pass a random choice of its edits. Counts what was applied.
void check_edits(const Case& c, const Focus& focus, SeedSource& random,
                 std::map<std::string_view, std::size_t>& applied) {
  const auto before = complexity(c);
  for (const Pass& pass : passes()) {
    const auto edits = pass.edits(c, focus);
    std::set<std::string> names;
    for (const Edit& edit : edits) {
      names.insert(edit.name);
      if (edits.size() > 40 && random.below(edits.size()) > 40) continue;
      SCOPED_TRACE(std::string(pass.name) + ": " + edit.name + " of " + describe(c));
      Case d;
      ASSERT_NO_THROW(d = edit.apply());
      ASSERT_NO_THROW(validate(d));
      ASSERT_LT(complexity(d), before);
      ++applied[pass.name];
    }
    ASSERT_EQ(names.size(), edits.size()) << "names tell edits apart: " << describe(c);
  }
}

TEST(Simpler, GivesValidCasesOfSmallerComplexity) {
  std::map<std::string_view, std::size_t> applied;
  for (std::uint64_t i = 0; i < 400 && !testing::Test::HasFatalFailure(); ++i) {
    const Case c = case_from_seed(21, i, i % 2 == 0 ? Limits{} : gradient_limits());
    SeedSource random(22, i);
    Focus focus{static_cast<std::int64_t>(c.batch()) - 1,
                static_cast<std::int64_t>(c.output_width()) - 1,
                {}};
    if (i % 3 == 0) focus.activations = threes;
    check_edits(c, focus, random, applied);
  }
  for (const Pass& pass : passes()) EXPECT_GT(applied[pass.name], 100u) << pass.name;
}

TEST(Simpler, GivesSmallerCasesOfNumbersOfAllKinds) {
  std::map<std::string_view, std::size_t> applied;
  const std::vector<float> special{
      NAN,       -NAN,       INFINITY,    -INFINITY,       0.0f,  -0.0f,          1.0f,      -1.0f,
      0x1p-149f, -0x1p-149f, 0x1.8p-127f, 0x1.fffffep127f, -3.0f, 0x1.555556p-3f, 0x1p-126f, 2.0f};
  for (std::uint64_t i = 0; i < 60 && !testing::Test::HasFatalFailure(); ++i) {
    SeedSource random(24, i);
    Case c = case_from_seed(25, i, gradient_limits());
    const auto draw = [&](Tensor& t) {
      for (float& x : t.data) x = special[random.below(i % 2 == 0 ? 2 : special.size())];
    };
    std::ranges::for_each(c.inputs, draw);
    std::ranges::for_each(c.parameters, draw);
    draw(c.cotangents);
    check_edits(c, {}, random, applied);
  }
  EXPECT_GT(applied["rounding"], 1000u);
}

TEST(Simpler, IsDeterministic) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Case c = case_from_seed(26, i);
    const Case copy = c;
    const auto a = simpler(c), b = simpler(copy);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t e = 0; e < a.size(); e += 1 + a.size() / 50) {
      ASSERT_EQ(a[e].name, b[e].name);
      ASSERT_TRUE(identical(a[e].apply(), b[e].apply())) << a[e].name;
    }
  }
}

TEST(Simpler, EndsInACaseWithoutEdits) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Case c = case_from_seed(23, i);
    int steps = 0;
    for (auto edits = simpler(c); !edits.empty() && steps < 500; edits = simpler(c), ++steps) {
      c = Case(edits.front().apply());
    }
    EXPECT_LT(steps, 500) << describe(c);
    EXPECT_EQ(c.network.nodes().size(), 1u) << describe(c);
  }
}

TEST(Simpler, TruncatesAfterAnyOp) {
  const Case c = mlp(2);
  const auto edits = simpler(c);
  const Edit* edit = find(edits, "output := tanh 4");
  ASSERT_NE(edit, nullptr);
  const Case d = edit->apply();
  EXPECT_EQ(d.output_node().op, Op::tanh);
  EXPECT_EQ(d.parameters.size(), 2u);
  EXPECT_EQ(d.cotangents.cols, 4u);
  EXPECT_THAT(d.cotangents.row(0), testing::ElementsAre(3, 3, 1, 1));
}

TEST(Simpler, TakesALinearLayerOutOfTheMiddleByCuttingWidths) {
  const Case c = mlp(2);
  const auto edits = simpler(c);
  const Edit* edit = find(edits, "tanh 4 -> input 0");
  ASSERT_NE(edit, nullptr);
  const Case d = edit->apply();
  ASSERT_EQ(d.parameters.size(), 1u);
  EXPECT_EQ(d.parameters[0].rows, 2u);
  EXPECT_EQ(d.parameters[0].cols, 3u);
}

TEST(Simpler, DropsANeuronFromEveryTensorThatKnowsIt) {
  Case c = mlp(1);
  for (std::size_t j = 0; j < 4; ++j) c.parameters[1].data[j] = static_cast<float>(j);
  const auto edits = simpler(c);
  const Edit* edit = find(edits, "drop 2..2 of the 4 columns of linear 3");
  ASSERT_NE(edit, nullptr) << "no such edit";
  const Case d = edit->apply();
  EXPECT_EQ(d.parameters[0].rows, 3u);
  EXPECT_THAT(d.parameters[1].data, testing::ElementsAre(0, 1, 3));
  EXPECT_EQ(d.parameters[2].cols, 3u);
  EXPECT_EQ(d.output_width(), 2u);
}

TEST(Simpler, KeepsOnlyTheFocusedRowAndOutput) {
  Case c = mlp(3);
  for (std::size_t r = 0; r < 3; ++r) c.inputs[0].row(r)[0] = static_cast<float>(r);
  for (std::size_t k = 0; k < 4; ++k) c.parameters[2].row(1)[k] = 9;
  const auto edits = simpler(c, {2, 1, {}});
  const Edit* row = find(edits, "only row 2");
  const Edit* column = find(edits, "only output column 1");
  ASSERT_NE(row, nullptr);
  ASSERT_NE(column, nullptr);
  const Case one = row->apply();
  EXPECT_EQ(one.batch(), 1u);
  EXPECT_EQ(one.inputs[0].data[0], 2);
  const Case narrow = column->apply();
  EXPECT_EQ(narrow.output_width(), 1u);
  EXPECT_THAT(narrow.parameters[2].data, testing::Each(9));
  EXPECT_EQ(narrow.cotangents.cols, 1u);
}

TEST(Simpler, ReplacesAConcatenationByEitherOperand) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(2);
  const NodeId a = net.activation(Op::relu, x), b = net.linear(x, net.parameter(3, 2));
  const NodeId ab = net.concat(a, b), v = net.parameter(1, 5);
  net.output(net.linear(ab, v));
  c.inputs = {Tensor(1, 2)};
  c.parameters = {Tensor(3, 2), Tensor(1, 5, {1, 2, 3, 4, 5})};
  c.split = {Slice{{0}, 0}};
  const auto edits = simpler(c);
  const Edit* first = find(edits, "concat 4 -> relu 1");
  const Edit* second = find(edits, "concat 4 -> linear 3");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_THAT(first->apply().parameters.back().data, testing::ElementsAre(1, 2));
  EXPECT_THAT(second->apply().parameters.back().data, testing::ElementsAre(3, 4, 5));
}

TEST(Simpler, CutsFeatureColumnsThroughAReshape) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(1), w = net.parameter(6, 1);
  const NodeId h = net.reshape(net.linear(x, w), {2, 3}), v = net.parameter(1, 3);
  net.output(net.linear(h, v));
  c.inputs = {Tensor(1, 1)};
  c.parameters = {Tensor(6, 1, {0, 1, 2, 3, 4, 5}), Tensor(1, 3, {7, 8, 9})};
  c.split = {Slice{{0}, 0}};
  const auto edits = simpler(c);
  const Edit* edit = find(edits, "drop 2..2 of the 3 columns of reshape 3");
  ASSERT_NE(edit, nullptr);
  const Case d = edit->apply();
  EXPECT_THAT(d.parameters[0].data, testing::ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(d.parameters[1].data, testing::ElementsAre(7, 8));
}

}  // namespace
}  // namespace ulpfuzz::generators
