#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {
namespace {

Case mlp(std::uint32_t batch) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(3);
  const NodeId w = net.parameter(4, 3), b = net.parameter(1, 4);
  const NodeId h = net.activation(Op::tanh, net.linear(x, w, b));
  const NodeId v = net.parameter(2, 4);
  net.output(net.linear(h, v));
  c.inputs = {Tensor(batch, 3, std::vector<float>(3 * batch, 1.25f))};
  c.parameters = {Tensor(4, 3, std::vector<float>(12, 0.3f)),
                  Tensor(1, 4, std::vector<float>(4, -2.0f)),
                  Tensor(2, 4, std::vector<float>(8, 0.7f))};
  c.cotangents = Tensor(batch, 2, std::vector<float>(2 * batch, 3.0f));
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < batch; ++r) rows.push_back(r);
  c.split = {Slice{rows, 0}};
  return c;
}

const Edit* find(const std::vector<Edit>& edits, const std::string& name) {
  const auto it = std::ranges::find(edits, name, &Edit::name);
  return it == edits.end() ? nullptr : &*it;
}

// Random cases, and for each a random choice of its edits: the first, the last and some between.
TEST(Simpler, GivesValidCasesOfSmallerComplexity) {
  std::size_t applied = 0;
  std::set<std::string> kinds;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case c = case_from_seed(21, i, i % 2 == 0 ? Limits{} : gradient_limits());
    SeedSource random(22, i);
    const auto before = complexity(c);
    const Focus focus{static_cast<std::int64_t>(c.batch()) - 1,
                      static_cast<std::int64_t>(c.output_width()) - 1};
    const auto edits = simpler(c, focus);
    std::set<std::string> names;
    for (std::size_t e = 0; e < edits.size(); ++e) {
      names.insert(edits[e].name);
      if (edits.size() > 150 && random.below(edits.size()) > 150) continue;
      Case d;
      ASSERT_NO_THROW(d = edits[e].apply()) << i << ": " << edits[e].name << " of " << describe(c);
      ASSERT_NO_THROW(validate(d)) << i << ": " << edits[e].name << " of " << describe(c);
      ASSERT_LT(complexity(d), before) << i << ": " << edits[e].name << " of " << describe(c);
      kinds.insert(edits[e].name.substr(0, edits[e].name.find(' ')));
      ++applied;
    }
    ASSERT_EQ(names.size(), edits.size()) << "names tell edits apart: " << describe(c);
  }
  EXPECT_GT(applied, 20'000u);
  EXPECT_THAT(kinds, testing::IsSupersetOf({"output", "drop", "only", "one", "all", "no", "input",
                                            "parameter", "merge", "linear", "concat", "aligned"}));
}

TEST(Simpler, EndsInACaseWithoutEdits) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Case c = case_from_seed(23, i);
    int steps = 0;
    for (auto edits = simpler(c); !edits.empty() && steps < 500; edits = simpler(c), ++steps) {
      c = Case(edits.front().apply());
    }
    EXPECT_LT(steps, 500) << describe(c);
    EXPECT_LE(c.network.nodes().size(), 4u) << describe(c);
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
  const auto edits = simpler(c, {2, 1});
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

TEST(Complexity, PutsStructureBeforeNumbers) {
  const Case big = mlp(4);
  Case small = mlp(3);
  for (float& x : small.inputs[0].data) x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(complexity(small), complexity(big));
}

TEST(Complexity, OrdersNumbers) {
  const auto with = [](float x) {
    Case c = mlp(1);
    c.inputs[0].data[0] = x;
    return complexity(c);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(with(0), with(1));
  EXPECT_LT(with(1), with(2));
  EXPECT_LT(with(2), with(3));
  EXPECT_LT(with(3), with(3.3f));
  EXPECT_LT(with(0), with(-0.0f));
  EXPECT_LT(with(3.3f), with(1e30f));
  EXPECT_LT(with(1e30f), with(INFINITY));
  EXPECT_LT(with(INFINITY), with(nan));
}

}  // namespace
}  // namespace ulpfuzz::generators
