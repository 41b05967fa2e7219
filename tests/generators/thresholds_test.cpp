#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "shrink_loop.hpp"

// Faults that a size alone decides: the simplest case is known, whatever the start.
namespace ulpfuzz::generators {
namespace {

using Predicate = std::function<bool(const Case&)>;
using Size = std::function<std::uint64_t(const Case&)>;

std::vector<Case> minimal(const Predicate& fails, std::size_t count) {
  std::vector<Case> found;
  for (std::uint64_t i = 0; i < 20'000 && found.size() < count; ++i) {
    Case c = case_from_seed(41, i);
    if (fails(c)) found.push_back(shrink(std::move(c), fails).value);
  }
  EXPECT_EQ(found.size(), count);
  return found;
}

void expect_exact(const std::string& what, const Size& size, std::uint64_t least, std::size_t nodes,
                  const Predicate& also = {}) {
  const auto fails = [&](const Case& c) {
    return c.batch() > 0 && c.output_width() > 0 && size(c) >= least && (!also || also(c));
  };
  for (const Case& c : minimal(fails, 6)) {
    EXPECT_EQ(size(c), least) << what << ": " << describe(c);
    EXPECT_EQ(c.network.nodes().size(), nodes) << what << ": " << describe(c);
    EXPECT_EQ(c.layout.batch_offset + c.layout.slice_offset, what == "offset" ? least : 0) << what;
  }
}

std::uint64_t most(const Case& c, const std::function<std::uint64_t(const Node&)>& of) {
  std::uint64_t result = 0;
  for (const Node& node : c.network.nodes()) result = std::max(result, of(node));
  return result;
}

/// Terms of the products of the linear layer that has most.
std::uint64_t inner(const Case& c) {
  return most(c, [&](const Node& node) -> std::uint64_t {
    return node.op == Op::linear ? c.network.node(node.args[1]).shape.cols : 0;
  });
}

TEST(Threshold, IsFoundExactlyInEveryDimension) {
  for (const std::uint64_t least : {2u, 10u, 17u, 65u})
    expect_exact(
        "batch", [](const Case& c) { return c.batch(); }, least, 1);
  for (const std::uint64_t least : {2u, 7u, 33u})
    expect_exact(
        "outputs", [](const Case& c) { return c.output_width(); }, least, 1);
  for (const std::uint64_t least : {1u, 4u, 31u, 50u}) expect_exact("inner", inner, least, 3);
  expect_exact(
      "slices", [](const Case& c) { return c.split.size(); }, 3, 1);
  expect_exact(
      "offset", [](const Case& c) { return c.layout.slice_offset; }, 3, 1);
}

TEST(Threshold, OfFeatureRowsAndPaddingIsFound) {
  expect_exact(
      "feature rows",
      [](const Case& c) {
        return most(c, [](const Node& n) { return n.op == Op::parameter ? 0 : n.shape.rows; });
      },
      3, 1);
  expect_exact(
      "padding",
      [](const Case& c) {
        std::uint64_t padding = 0;
        for (const Slice& slice : c.split)
          padding = std::max<std::uint64_t>(padding, slice.rows.empty() ? 0 : slice.padding);
        return padding;
      },
      5, 1);
}

TEST(Threshold, OfDepthIsFound) {
  expect_exact(
      "depth",
      [](const Case& c) {
        return static_cast<std::uint64_t>(
            std::ranges::count(c.network.nodes(), Op::tanh, &Node::op));
      },
      2, 3);
}

TEST(Threshold, OfABatchRowThatReadsAnotherIsFound) {
  // Row 16 and the later ones get what an earlier one should have.
  const auto fails = [](const Case& c) {
    if (c.inputs.empty() || c.inputs[0].cols == 0) return false;
    for (std::size_t b = 16; b < c.batch(); ++b) {
      if (!std::ranges::equal(c.inputs[0].row(b), c.inputs[0].row(b % 16))) return true;
    }
    return false;
  };
  for (const Case& c : minimal(fails, 8)) {
    EXPECT_EQ(c.batch(), 17u);
    EXPECT_EQ(c.inputs[0].cols, 1u);
    EXPECT_EQ(std::ranges::count(c.inputs[0].data, 1.0f), 1);
    EXPECT_EQ(std::ranges::count(c.inputs[0].data, 0.0f), 16);
  }
}

bool any_linear(const Case& c, const std::function<bool(Shape)>& of_weight) {
  if (c.batch() == 0 || c.output_width() == 0) return false;
  return std::ranges::any_of(c.network.nodes(), [&](const Node& node) {
    return node.op == Op::linear && of_weight(c.network.node(node.args[1]).shape);
  });
}

TEST(Threshold, OfAResidueIsFound) {
  const auto tail = [](Shape w) { return w.cols % 4 == 3; };
  for (const Case& c : minimal([&](const Case& d) { return any_linear(d, tail); }, 8))
    EXPECT_EQ(inner(c), 3u) << describe(c);
  const auto later = [](Shape w) { return w.cols % 8 == 7 && w.cols > 8; };
  for (const Case& c : minimal([&](const Case& d) { return any_linear(d, later); }, 8))
    EXPECT_EQ(inner(c), 15u) << describe(c);
}

TEST(Threshold, OfASquareWeightIsFound) {
  const auto square = [](Shape w) { return w.rows == w.cols && w.rows > 1; };
  for (const Case& c : minimal([&](const Case& d) { return any_linear(d, square); }, 8)) {
    EXPECT_EQ(inner(c), 2u) << describe(c);
    EXPECT_EQ(c.output_width(), 2u) << describe(c);
  }
}

// Where a large layer or a large batch will do, the large batch is simpler: one output of one term.
TEST(Threshold, OfWorkIsMetByRowsRatherThanFeatures) {
  const auto fails = [](const Case& c) {
    return any_linear(c, [&](Shape w) { return (c.batch() + w.rows) * w.cols >= 100; });
  };
  for (const Case& c : minimal(fails, 10)) {
    EXPECT_EQ(inner(c), 1u) << describe(c);
    EXPECT_EQ(c.output_width(), 1u) << describe(c);
    EXPECT_EQ(c.batch(), 99u) << describe(c);
  }
}

}  // namespace
}  // namespace ulpfuzz::generators
