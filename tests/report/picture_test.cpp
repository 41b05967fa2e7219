#include "picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "html_support.hpp"
#include "sample_findings.hpp"

namespace ulpfuzz::report::page {
namespace {

using samples::occurrences;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts(const std::string& svg, const char* kind) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str())) << svg;
  std::vector<std::string> words;
  for (const auto& found : document.select_nodes("//text"))
    if (found.node().attribute("class").as_string() == std::string(kind))
      words.push_back(found.node().child_value());
  return words;
}

TEST(Picture, OfOneLinearLayerIsTwoBoxesAndAnArrow) {
  const Case c = samples::linear_case();
  PictureOptions options;
  options.marked = 2;
  options.row = 1;
  const std::string svg = picture(c, options);
  EXPECT_THAT(texts(svg, "name"), ElementsAre("input", "linear"));
  EXPECT_THAT(texts(svg, "size"), ElementsAre("[1]", "1 → 1"));
  EXPECT_THAT(texts(svg, "mark"), ElementsAre("first to differ"));
  EXPECT_THAT(texts(svg, "bar"), ElementsAre("batch of 2 rows, worst in row 1", "1 slice"));
  EXPECT_EQ(occurrences(svg, "class=\"wire\""), 1u);
  EXPECT_EQ(occurrences(svg, "class=\"row\""), 1u);
  EXPECT_EQ(occurrences(svg, "class=\"row worst\""), 1u);
  EXPECT_THAT(svg,
              HasSubstr("aria-label=\"linear(1 -&gt; 1); batch 2; split 1; first op to differ: "
                        "linear\""));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 320 "));
}

TEST(Picture, TellsPaddingAndTheSizesOfSlices) {
  const std::string svg = picture(samples::gated_case(), {});
  EXPECT_THAT(texts(svg, "in"), ElementsAre("5", "4", "3"));
  EXPECT_THAT(texts(svg, "bar"),
              ElementsAre("batch of 12 rows", "3 slices, with 2 rows of padding"));
  EXPECT_EQ(occurrences(svg, "class=\"padding\""), 1u);
  EXPECT_EQ(texts(svg, "mark").size(), 0u);
}

TEST(Picture, FitsAPhoneAndUsesTheRoomOfADesk) {
  PictureOptions wide;
  wide.columns = 5;
  EXPECT_THAT(picture(samples::residual_case(), {}), HasSubstr("viewBox=\"0 0 320 "));
  EXPECT_THAT(picture(samples::residual_case(), wide), HasSubstr("viewBox=\"0 0 522 "));
}

TEST(Sketch, PlacesWaysThatRunBesideEachOther) {
  const Sketch s = sketch(samples::gated_case().network, std::nullopt);
  ASSERT_EQ(s.boxes.size(), 6u);  // input, linear, sigmoid, linear, tanh, mul
  EXPECT_EQ(s.columns, 4u);
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const Box& b : s.boxes) places.emplace_back(b.column, b.lane);
  using P = std::pair<std::size_t, std::size_t>;
  EXPECT_THAT(places, ElementsAre(P{0, 0}, P{1, 0}, P{2, 0}, P{1, 1}, P{2, 1}, P{3, 0}));
  EXPECT_THAT(s.arrows, ElementsAre(Arrow{0, 1}, Arrow{1, 2}, Arrow{0, 3}, Arrow{3, 4}, Arrow{2, 5},
                                    Arrow{4, 5}));
}

TEST(Sketch, OfALongNetworkKeepsItsEndsAndWhatIsMarked) {
  const Network network = samples::long_case().network;  // input, then linear and silu 15 times
  const NodeId marked = 32;
  ASSERT_NE(network.node(marked).op, Op::parameter);
  const Sketch s = sketch(network, marked);
  std::size_t drawn = 0, left_out = 0;
  bool marked_drawn = false;
  for (const Box& b : s.boxes) {
    drawn += b.left_out == 0;
    left_out += b.left_out;
    marked_drawn |= b.left_out == 0 && b.first == marked;
  }
  EXPECT_EQ(drawn, 12u);
  EXPECT_EQ(left_out, 31u - 12u);
  EXPECT_EQ(s.left_out, left_out);
  EXPECT_TRUE(marked_drawn);
  EXPECT_EQ(s.boxes.front().first, 0u);
  EXPECT_EQ(s.boxes.back().first, network.outputs().front());
  EXPECT_EQ(s.boxes.size(), 14u);  // two gaps
}

TEST(Sketch, OfExactlyAsManyOpsAsFitLeavesOutNone) {
  Network n;
  NodeId x = n.input(2);
  for (int i = 0; i < 11; ++i) x = n.activation(Op::relu, x);
  n.output(x);
  EXPECT_EQ(sketch(n, std::nullopt).left_out, 0u);
  Network longer;
  x = longer.input(2);
  for (int i = 0; i < 12; ++i) x = longer.activation(Op::relu, x);
  longer.output(x);
  const Sketch s = sketch(longer, std::nullopt);
  EXPECT_EQ(s.left_out, 1u);
  EXPECT_EQ(s.boxes.size(), 13u);
}

TEST(FirstToDiffer, IsWhatTheAccountNamesElseTheFirstOfThatName) {
  const Network network = samples::long_case().network;
  EXPECT_EQ(
      first_to_differ(network, "silu",
                      "  share by op: linear 3: 0.1, silu 8: 7.5 (first to fail), silu 12: 9\n"),
      8u);
  EXPECT_EQ(first_to_differ(network, "silu", ""), 4u);
  EXPECT_EQ(first_to_differ(network, "silu", "x: 1 (first to fail)"), 4u);
  EXPECT_EQ(first_to_differ(network, "silu", " silu 99999999: 7 (first to fail)"), 4u);
  // In a smallest case another op can be the first that is beyond its bound.
  EXPECT_EQ(
      first_to_differ(
          network, "silu",
          "share by op: linear 7: 0, silu 8: inf (first to fail)\n  the paths part at: linear\n"),
      3u);
  EXPECT_EQ(first_to_differ(network, "softmax", ""), std::nullopt);
  EXPECT_EQ(first_to_differ(network, "", ""), std::nullopt);
}

TEST(WorstRow, IsReadFromTheAccount) {
  EXPECT_EQ(worst_row("  worst element output[row 17][column 2]: batch"), 17u);
  EXPECT_EQ(worst_row("  worst element d output[2] / d parameter 1[0][4], row 3"), std::nullopt);
  EXPECT_EQ(worst_row("worst element output[row "), std::nullopt);
}

}  // namespace
}  // namespace ulpfuzz::report::page
