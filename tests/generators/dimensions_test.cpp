#include "ulpfuzz/generators/dimensions.hpp"

#include <gmock/gmock.h>

#include <bit>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {
namespace {

using ::testing::ElementsAre;
using Rows = std::vector<std::uint32_t>;

std::vector<std::string> names(const Case& c) {
  std::vector<std::string> result;
  for (const Dimension& d : dimensions(c)) result.push_back(d.name);
  return result;
}

Dimension named(const Case& c, const std::string& name) {
  for (const Dimension& d : dimensions(c))
    if (d.name == name) return d;
  throw std::runtime_error("no dimension " + name);
}

Case with_numbers(Network network, std::uint32_t batch) {
  Case c;
  c.network = std::move(network);
  float next = 1;
  const auto tensor = [&](std::uint32_t rows, std::uint32_t cols) {
    Tensor t(rows, cols);
    for (float& v : t.data) v = next++;
    return t;
  };
  for (const NodeId id : c.network.inputs())
    c.inputs.push_back(tensor(batch, static_cast<std::uint32_t>(c.network.node(id).shape.size())));
  for (const NodeId id : c.network.parameters()) {
    const Shape s = c.network.node(id).shape;
    c.parameters.push_back(tensor(s.rows, s.cols));
  }
  c.split = {{{0}, 0}};
  return c;
}

/// linear(2 -> 3)+bias, relu, linear(3 -> 1)
Case mlp_of(std::uint32_t batch = 4) {
  Network n;
  const NodeId x = n.input(2), w = n.parameter(3, 2), bias = n.parameter(1, 3);
  const NodeId h = n.activation(Op::relu, n.linear(x, w, bias));
  n.output(n.linear(h, n.parameter(1, 3)));
  return with_numbers(std::move(n), batch);
}

/// linear(concat(2, 3) -> 1)
Case joined() {
  Network n;
  const NodeId a = n.input(2), b = n.input(3);
  const NodeId whole = n.concat(a, b);
  n.output(n.linear(whole, n.parameter(1, 5)));
  return with_numbers(std::move(n), 1);
}

/// linear(reshape([2, 3] -> 6) -> 1)
Case flattened() {
  Network n;
  const NodeId flat = n.reshape(n.input(Shape{2, 3}), Shape{1, 6});
  n.output(n.linear(flat, n.parameter(1, 6)));
  return with_numbers(std::move(n), 1);
}

TEST(Dimensions, AreNamedByTheProductsTheyTakePartIn) {
  EXPECT_THAT(names(mlp_of()), ElementsAre("batch", "inner dimension of linear 3",
                                           "outputs of linear 3, inner dimension of linear 6",
                                           "outputs of linear 6"));
  EXPECT_EQ(named(mlp_of(), "outputs of linear 3, inner dimension of linear 6").symbol, "K");
  EXPECT_EQ(named(mlp_of(), "outputs of linear 6").symbol, "N");
  EXPECT_EQ(named(mlp_of(7), "batch").size, 7);
}

TEST(Dimensions, OfActivationsAloneAreWidths) {
  Network n;
  n.output(n.activation(Op::tanh, n.input(5)));
  EXPECT_THAT(names(with_numbers(std::move(n), 1)), ElementsAre("batch", "width of input 0"));
}

TEST(Dimensions, OfAMatmulAreThree) {
  Network n;
  const NodeId a = n.input(Shape{2, 3}), b = n.input(Shape{4, 3});
  n.output(n.matmul(a, b, false, true));
  EXPECT_THAT(names(with_numbers(std::move(n), 1)),
              ElementsAre("batch", "inner dimension of matmul 2", "rows of matmul 2",
                          "columns of matmul 2"));
}

TEST(Dimensions, LeaveOutWhatFollowsFromOthers) {
  EXPECT_THAT(names(joined()),
              ElementsAre("batch", "width of input 0", "width of input 1", "outputs of linear 4"));
  EXPECT_THAT(names(flattened()), ElementsAre("batch", "width of input 0",
                                              "feature rows of input 0", "outputs of linear 3"));
}

TEST(Dimensions, IncludePadding) {
  Case c = mlp_of();
  c.split = {{{0}, 0}, {{1}, 3}};
  const Dimension padding = named(c, "padding of slice 1");
  EXPECT_EQ(padding.size, 3);
  EXPECT_EQ(resized(c, padding, 9)->split[1].padding, 9);
}

TEST(Resized, IsTheSameCaseAtTheSameSize) {
  const Case c = mlp_of();
  for (const Dimension& d : dimensions(c)) {
    const auto same = resized(c, d, d.size);
    ASSERT_TRUE(same) << d.name;
    EXPECT_TRUE(identical(*same, c)) << d.name;
  }
}

TEST(Resized, KeepsOldNumbersAndVariesCopies) {
  const Case c = mlp_of();
  const auto grown = resized(c, named(c, "batch"), 7, {.in_the_middle = false, .seed = 3});
  ASSERT_TRUE(grown);
  ASSERT_EQ(grown->batch(), 7);
  for (std::uint32_t r = 0; r < 7; ++r) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      const float now = grown->inputs[0].row(r)[k], old = c.inputs[0].row(r % 4)[k];
      EXPECT_EQ(now == old, r < 4);
      EXPECT_NEAR(now, old, old * 0x1p-10);
    }
  }
}

TEST(Resized, KeepsTheLastRowLast) {
  const Case c = mlp_of();
  for (const std::uint32_t size : {2u, 3u, 9u}) {
    const auto other = resized(c, named(c, "batch"), size);
    EXPECT_EQ(other->inputs[0].row(0)[0], c.inputs[0].row(0)[0]);
    EXPECT_EQ(other->inputs[0].row(size - 1)[1], c.inputs[0].row(3)[1]);
  }
}

TEST(Resized, ChangesEveryTensorThatHasTheDimension) {
  const Case c = mlp_of();
  const Dimension hidden = named(c, "outputs of linear 3, inner dimension of linear 6");
  const auto cut = resized(c, hidden, 2, {.in_the_middle = false});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->network.node(4).shape.cols, 2);
  EXPECT_THAT(cut->parameters[0].data, ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(cut->parameters[1].data, ElementsAre(15, 16));
  EXPECT_THAT(cut->parameters[2].data, ElementsAre(18, 19));
  EXPECT_TRUE(identical(cut->inputs[0], c.inputs[0]));
  const auto grown = resized(c, hidden, 100);
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->parameters[2].cols, 100);
}

TEST(Resized, GoesToZeroAndBack) {
  const Case c = mlp_of();
  for (const Dimension& d : dimensions(c)) {
    const auto none = resized(c, d, 0);
    ASSERT_TRUE(none) << d.name;
    Dimension empty = d;
    empty.size = 0;
    const auto back = resized(*none, empty, 2);
    ASSERT_TRUE(back) << d.name;
    EXPECT_TRUE(resized(*back, named(*back, d.name), 0)) << d.name;
  }
}

TEST(Resized, LetsAConcatFollow) {
  const Case c = joined();
  const auto grown = resized(c, named(c, "width of input 0"), 3, {.in_the_middle = false});
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->network.node(2).shape.cols, 6);
  const Tensor &w = grown->parameters[0], &old = c.parameters[0];
  EXPECT_EQ(w.data[1], old.data[1]);
  EXPECT_EQ(w.data[3], old.data[2]) << "columns of the second part move";
  EXPECT_EQ(w.data[5], old.data[4]);
}

TEST(Resized, LetsAFlatRowFollow) {
  const Case c = flattened();
  const auto cut = resized(c, named(c, "width of input 0"), 2, {.in_the_middle = false});
  ASSERT_TRUE(cut);
  EXPECT_THAT(cut->inputs[0].data, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(cut->parameters[0].data, ElementsAre(7, 8, 10, 11));
}

TEST(Resized, GivesNothingWhereAReshapeForbids) {
  Network r;
  r.output(r.activation(Op::relu, r.reshape(r.input(Shape{2, 6}), Shape{3, 4})));
  const Case c = with_numbers(std::move(r), 1);
  EXPECT_FALSE(resized(c, named(c, "width of input 0"), 7));
}

TEST(Resized, GivesNothingWhereAnotherDimensionHoldsTheWhole) {
  Network n;
  const NodeId a = n.input(2), b = n.input(3), d = n.input(5);
  n.output(n.add(n.concat(a, b), d));
  const Case c = with_numbers(std::move(n), 1);
  EXPECT_TRUE(resized(c, named(c, "width of input 0"), 4)) << "what is added follows";
  Network m;
  const NodeId x = m.input(2), y = m.input(3), z = m.input(1), w = m.input(4);
  m.output(m.add(m.concat(x, y), m.concat(z, w)));
  const Case e = with_numbers(std::move(m), 1);
  EXPECT_FALSE(resized(e, named(e, "width of input 0"), 4));
}

std::vector<Rows> split_of(const std::vector<Rows>& split, std::uint32_t old, std::uint32_t now) {
  Case c = mlp_of(old);
  c.split.clear();
  for (const Rows& rows : split) c.split.push_back({rows, 0});
  std::vector<Rows> result;
  const Case other = resized(c, named(c, "batch"), now).value();
  for (const Slice& s : other.split) result.push_back(s.rows);
  return result;
}

TEST(ResizedSplit, KeepsItsMeaning) {
  EXPECT_THAT(split_of({{0, 1, 2}}, 3, 5), ElementsAre(Rows{0, 1, 2, 3, 4})) << "all rows";
  EXPECT_THAT(split_of({{2}}, 3, 5), ElementsAre(Rows{4})) << "the last row";
  EXPECT_THAT(split_of({{0}}, 3, 5), ElementsAre(Rows{0})) << "the first row";
  EXPECT_THAT(split_of({{0}, {1, 2}}, 3, 5), ElementsAre(Rows{0}, Rows{1, 2, 3, 4}))
      << "the first and the rest";
  EXPECT_THAT(split_of({{0, 1, 2}, {3}}, 4, 6), ElementsAre(Rows{0, 1, 2, 3, 4}, Rows{5}))
      << "all but the last, and the last";
  EXPECT_THAT(split_of({{0}, {1}, {2}}, 3, 4), ElementsAre(Rows{0}, Rows{1}, Rows{2}, Rows{3}))
      << "each row";
  EXPECT_THAT(split_of({{}, {0, 1}}, 2, 3), ElementsAre(Rows{}, Rows{0, 1, 2})) << "nothing";
}

TEST(ResizedSplit, KeepsItsMeaningWhereTheBatchIsCut) {
  EXPECT_THAT(split_of({{0, 1, 2, 3}}, 4, 2), ElementsAre(Rows{0, 1}));
  EXPECT_THAT(split_of({{3}}, 4, 2), ElementsAre(Rows{1}));
  EXPECT_THAT(split_of({{0}, {1, 2, 3}}, 4, 2), ElementsAre(Rows{0}, Rows{1}));
  EXPECT_THAT(split_of({{0, 1, 2}, {3}}, 4, 1), ElementsAre(Rows{0}, Rows{0}))
      << "no slice is left without rows";
  EXPECT_THAT(split_of({{3, 1}}, 4, 0), ElementsAre(Rows{}));
}

// Whatever the case and the size: what comes out is a case of that size, or nothing.
TEST(Resized, IsAValidCaseOrNothing) {
  std::size_t made = 0, refused = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case c = case_from_seed(11, i, {.width = 20, .batch = 20});
    for (const Dimension& d : dimensions(c)) {
      for (const std::uint32_t size : {0u, d.size / 2, d.size + 1, 2 * d.size + 3}) {
        const auto values = static_cast<Growth::Values>((i + size) % 3);
        const auto other = resized(c, d, size, {values, size % 2 == 0, i});
        ++(other ? made : refused);
        if (!other) continue;
        EXPECT_NO_THROW(validate(*other));
        if (d.kind == Dimension::Kind::batch) {
          EXPECT_EQ(other->batch(), size);
        }
        EXPECT_TRUE(identical(*other, *resized(c, d, size, {values, size % 2 == 0, i})));
      }
    }
  }
  EXPECT_GT(made, 3000);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace ulpfuzz::generators
