#include "ulpfuzz/network/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/example_networks.hpp"

namespace ulpfuzz {
namespace {

// tanh(x W^T + b) + z on four rows; element i of each tensor is its index and i in tenths.
Case example() {
  Case c;
  const NodeId x = c.network.input(3);
  const NodeId z = c.network.input(2);
  const NodeId h = examples::build::dense(c.network, x, 2);
  c.network.output(c.network.add(c.network.activation(Op::tanh, h), z));
  c.inputs = {Tensor(4, 3), Tensor(4, 2)};
  c.parameters = {Tensor(2, 3), Tensor(1, 2)};
  c.cotangents = Tensor(4, 2);
  float base = 0;
  for (Tensor* t :
       {&c.inputs[0], &c.inputs[1], &c.parameters[0], &c.parameters[1], &c.cotangents}) {
    base += 1;
    for (std::size_t i = 0; i < t->data.size(); ++i) {
      t->data[i] = base + static_cast<float>(i) / 16;
    }
  }
  c.split = {{{0, 1}, 0}, {{}, 1}, {{3}, 2}, {{2, 0}, 0}};
  return c;
}

void expect_invalid(const std::function<void(Case&)>& change, const std::string& message) {
  Case c = example();
  ASSERT_NO_THROW(validate(c));
  change(c);
  try {
    validate(c);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

TEST(Case, KnowsItsSizes) {
  const Case c = example();
  EXPECT_EQ(c.batch(), 4u);
  EXPECT_EQ(c.output_width(), 2u);
  EXPECT_EQ(c.output_node().op, Op::add);
  EXPECT_EQ(Case{}.batch(), 0u);
}

TEST(CaseValidation, RefusesTensorsThatDoNotFitTheNetwork) {
  expect_invalid([](Case& c) { c.parameters.pop_back(); },
                 "case: there are 1 parameter tensors; 2 would fit");
  expect_invalid([](Case& c) { c.inputs.pop_back(); }, "case: there are 1 input tensors; 2 would");
  expect_invalid([](Case& c) { c.parameters[0] = Tensor(3, 2); },
                 "case: parameter 0 is 3 x 2; 2 x 3 would fit");
  expect_invalid([](Case& c) { c.inputs[1] = Tensor(3, 2); }, "case: input 1 is 3 x 2; 4 x 2");
  expect_invalid([](Case& c) { c.inputs[0].data.pop_back(); },
                 "case: input 0 holds 11 numbers; 12 would fit");
  expect_invalid([](Case& c) { c.cotangents = Tensor(4, 3); },
                 "case: cotangents 0 is 4 x 3; 4 x 2 would fit");
  expect_invalid([](Case& c) { c.cotangents.cols = 0; }, "case: cotangents 0 is 4 x 0");
}

TEST(CaseValidation, TakesCasesWithoutCotangentsAndWithoutRows) {
  Case c = example();
  c.cotangents = {};
  EXPECT_NO_THROW(validate(c));
  EXPECT_NO_THROW(validate(select_rows(example(), {})));
}

TEST(CaseValidation, RefusesNetworksThatAreNotForward) {
  expect_invalid([](Case& c) { c.network.output(0); },
                 "case: the network has 2 outputs; one would");
  expect_invalid([](Case& c) { c.network = Network{}; }, "case: the network has 0 outputs");
  expect_invalid([](Case& c) { c.network.input(1); },
                 "case: the output does not depend on input 2; a pruned network would fit");
  expect_invalid([](Case& c) { c.network.parameter(1, 1); }, "does not depend on parameter 2");
  expect_invalid([](Case& c) { c.network.sum_rows(0); },
                 "case: the network has a sum_rows of derivative networks");
  expect_invalid(
      [](Case& c) {
        c.network.input(Shape{1, 1}, Axis::repeated);
      },
      "case: the network has a input of derivative networks");
  expect_invalid([](Case& c) { c.network.set_repeat(2); },
                 "case: the network has repeat 2; 1 would");
  expect_invalid(
      [](Case& c) {
        c.network = Network{};
        c.network.output(c.network.parameter(1, 2));
      },
      "case: the output is shared");
}

TEST(CaseValidation, RefusesSplitsAndOffsetsOutOfRange) {
  expect_invalid([](Case& c) { c.split[3].rows[1] = 4; },
                 "case: slice 3 has row 4; a row below the batch of 4 would fit");
  expect_invalid([](Case& c) { c.layout.batch_offset = 16; },
                 "case: the layout has offset 16; 0 to 15 would fit");
  expect_invalid([](Case& c) { c.layout.slice_offset = 255; }, "offset 255");
}

TEST(CaseIdentity, IsOfBits) {
  const auto differs = [](const std::function<void(Case&)>& change) {
    Case c = example();
    change(c);
    return !identical(c, example());
  };
  EXPECT_TRUE(identical(example(), example()));
  EXPECT_TRUE(
      differs([](Case& c) { c.inputs[1].data[0] = std::nextafter(c.inputs[1].data[0], 9.f); }));
  EXPECT_TRUE(differs([](Case& c) { c.parameters.pop_back(); }));
  EXPECT_TRUE(differs([](Case& c) { c.parameters[1].data[0] = 0; }));
  EXPECT_TRUE(differs([](Case& c) { c.cotangents = {}; }));
  EXPECT_TRUE(differs([](Case& c) { c.split[1].padding = 0; }));
  EXPECT_TRUE(differs([](Case& c) { c.layout.slice_offset = 1; }));
  EXPECT_TRUE(differs([](Case& c) { c.network.input(1); }));
}

TEST(CaseIdentity, TellsZerosApartAndNaNsAlike) {
  Case plus = example(), minus = example();
  plus.inputs[0].data[0] = 0.0f;
  minus.inputs[0].data[0] = -0.0f;
  EXPECT_FALSE(identical(plus, minus));
  plus.inputs[0].data[0] = std::nanf("");
  EXPECT_TRUE(identical(plus, Case(plus)));
  Case slope = example(), negative = example();
  slope.network.activation(Op::leaky_relu, 0, 0.0f);
  negative.network.activation(Op::leaky_relu, 0, -0.0f);
  EXPECT_FALSE(identical(slope, negative));
}

TEST(SelectRows, GathersDataAndRenumbersTheSplit) {
  const Case c = example();
  const Case cut = select_rows(c, {2, 0});
  EXPECT_NO_THROW(validate(cut));
  EXPECT_EQ(cut.batch(), 2u);
  EXPECT_THAT(cut.inputs[0].row(0), testing::ElementsAreArray(c.inputs[0].row(2)));
  EXPECT_THAT(cut.inputs[1].row(1), testing::ElementsAreArray(c.inputs[1].row(0)));
  EXPECT_THAT(cut.cotangents.row(0), testing::ElementsAreArray(c.cotangents.row(2)));
  const std::vector<Slice> split = {{{1}, 0}, {{}, 1}, {{0, 1}, 0}};
  EXPECT_EQ(cut.split, split);
  EXPECT_TRUE(identical(select_rows(c, {0, 1, 2, 3}), c));
}

TEST(SelectRows, OfOneRowTwicePointsTheSplitAtTheFirst) {
  const Case cut = select_rows(example(), {3, 3});
  EXPECT_EQ(cut.batch(), 2u);
  const std::vector<Slice> split = {{{}, 1}, {{0}, 2}};
  EXPECT_EQ(cut.split, split);
}

TEST(SelectRows, RefusesRowsOutsideTheBatch) {
  EXPECT_THROW(select_rows(example(), {4}), std::invalid_argument);
}

TEST(SelectRows, LeavesAbsentCotangentsAbsent) {
  Case c = example();
  c.cotangents = {};
  EXPECT_NO_THROW(validate(select_rows(c, {1})));
  EXPECT_EQ(select_rows(c, {1}).cotangents.rows, 0u);
}

TEST(Prune, DropsWhatTheOutputDoesNotDependOn) {
  Case c = example();
  c.network = Network{};
  const NodeId unused = c.network.parameter(2, 3);
  const NodeId x = c.network.input(3);
  const NodeId z = c.network.input(2);
  const NodeId b = c.network.parameter(1, 2);
  c.network.linear(x, unused);
  c.network.output(c.network.add(z, b));
  const Case cut = prune(c);
  EXPECT_NO_THROW(validate(cut));
  EXPECT_EQ(cut.network.nodes().size(), 3u);
  ASSERT_EQ(cut.inputs.size(), 1u);
  ASSERT_EQ(cut.parameters.size(), 1u);
  EXPECT_TRUE(identical(cut.inputs[0], c.inputs[1]));
  EXPECT_TRUE(identical(cut.parameters[0], c.parameters[1]));
  EXPECT_EQ(cut.split, c.split);
}

TEST(Prune, ChangesNothingWhereAllIsNeeded) { EXPECT_TRUE(identical(prune(example()), example())); }

TEST(CaseDescription, NamesNetworkBatchAndSplit) {
  EXPECT_EQ(
      describe(example()),
      "linear(3 -> 2: x0)+bias, tanh, add(#2, x1); batch 4; split 2|0+1 padding|1+2 padding|2");
  Case c = example();
  c.split.assign(20, {{1}, 0});
  EXPECT_THAT(describe(c), testing::EndsWith("1|1|... (20 slices)"));
  c.split.clear();
  EXPECT_THAT(describe(c), testing::EndsWith("split none"));
}

}  // namespace
}  // namespace ulpfuzz
