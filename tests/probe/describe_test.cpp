#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// "((0+1)+2)": brackets are sums, numbers are terms.
class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  SumTree tree() {
    SumTree t;
    t.root = node(t);
    t.revealed = true;
    return t;
  }

 private:
  std::size_t node(SumTree& t) {
    SumTree::Node n;
    if (text_[at_] == '(') {
      do {
        ++at_;
        n.children.push_back(node(t));
      } while (text_[at_] == '+');
      ++at_;
      n.term = t.nodes[n.children.front()].term;
    } else {
      std::size_t used = 0;
      n.term = std::stoul(text_.substr(at_), &used);
      at_ += used;
    }
    t.nodes.push_back(std::move(n));
    return t.nodes.size() - 1;
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::string words(const std::string& sum, bool bias = false) {
  SumTree t = Reader(sum).tree();
  t.bias = bias;
  return describe(t);
}

TEST(Describe, NamesTheUsualOrders) {
  EXPECT_EQ(words("(0+1)"), "sequential");
  EXPECT_EQ(words("(((0+1)+2)+3)"), "sequential");
  EXPECT_EQ(words("(0+(1+(2+3)))"), "sequential from the last term");
  EXPECT_EQ(words("((0+1)+(2+3))"), "pairwise");
  EXPECT_EQ(words("((0+1)+2)"), "sequential");
  EXPECT_EQ(words("(((0+2)+4)+((1+3)+5))"), "2 interleaved accumulators, added in turn");
  EXPECT_EQ(words("(((0+4)+(1+5))+((2+6)+(3+7)))"), "4 interleaved accumulators, added pairwise");
  EXPECT_EQ(words("(((0+4)+(2+6))+((1+5)+(3+7)))"), "4 interleaved accumulators, folded in halves");
  EXPECT_EQ(words("((((0+1)+2)+3)+(((4+5)+6)+7))"), "2 contiguous parts of 4 terms, added in turn");
  EXPECT_EQ(words("((0+((1+2)+(3+4)))+((5+6)+(7+8)))"),
            "the first term, then blocks of 4 terms (pairwise), added in turn");
  EXPECT_EQ(words("(0+1+2+3)"), "4 terms at once (matmul unit)");
  EXPECT_EQ(words("((0+1+2+3)+4+5+6+7)"), "blocks of 4 (matmul unit), sequential");
  EXPECT_EQ(words("((0+1+2+3)+4+5)"), "blocks of 4 (matmul unit), sequential");
  EXPECT_EQ(
      words("(((((0+2)+(1+3))+((4+6)+(5+7)))+((8+10)+(9+11)))+12)"),
      "blocks of 4 terms (2 interleaved accumulators, added in turn), added in turn; then the "
      "last term in turn");
}

/// A run of terms, one after the other: "(((0+1)+2)+3)".
std::string chain_of(const std::vector<std::size_t>& terms) {
  std::string text = std::to_string(terms[0]);
  for (std::size_t i = 1; i < terms.size(); ++i)
    text = "(" + text + "+" + std::to_string(terms[i]) + ")";
  return text;
}

/// first, first + 1, ..
std::vector<std::size_t> from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> terms(count);
  std::iota(terms.begin(), terms.end(), first);
  return terms;
}

TEST(Describe, NamesUnequalPartsByTheirSizes) {
  const auto two = [](const std::string& a, const std::string& b) {
    return "(" + a + "+" + b + ")";
  };
  EXPECT_EQ(words(two(chain_of(from(0, 48)), chain_of(from(48, 16)))),
            "2 contiguous parts of 48 and 16 terms, added in turn");
  std::string sum = chain_of(from(0, 8));
  for (std::size_t part = 1; part < 7; ++part) sum = two(sum, chain_of(from(8 * part, 8)));
  EXPECT_EQ(words(two(sum, chain_of(from(56, 3)))),
            "8 contiguous parts of 3 to 8 terms, added in turn");
}

TEST(Describe, NamesAccumulatorsThatTakeBlocksByTurns) {
  std::vector<std::size_t> groups[4];
  for (std::size_t i = 0; i < 64; ++i) groups[i % 16 / 4].push_back(i);
  std::vector<std::size_t> halves[2];
  for (std::size_t i = 0; i < 62; ++i) halves[i % 8 / 4].push_back(i);
  EXPECT_EQ(words("(" + chain_of(halves[0]) + "+" + chain_of(halves[1]) + ")"),
            "2 interleaved accumulators of blocks of 4 terms, added in turn");
  EXPECT_EQ(words("((" + chain_of(groups[0]) + "+" + chain_of(groups[2]) + ")+(" +
                  chain_of(groups[1]) + "+" + chain_of(groups[3]) + "))"),
            "4 interleaved accumulators of blocks of 4 terms, folded in halves");
}

TEST(Describe, CountsNoTermsThatAreNotThere) {
  // Terms 0-3, 8, 10, .. and 4-7, 9, 11, ..: the parts of the first glance are no parts.
  std::vector<std::size_t> one{0, 1, 2, 3}, other{4, 5, 6, 7};
  for (std::size_t i = 8; i < 80; ++i) (i % 2 == 0 ? one : other).push_back(i);
  std::swap(one.back(), other.back());
  EXPECT_EQ(words("(" + chain_of(one) + "+" + chain_of(other) + ")"),
            "no usual order: a tree of depth 40 (see its drawing)");
}

TEST(Describe, WritesOutWhatHasNoName) { EXPECT_EQ(words("((0+3)+((1+2)+4))"), "(0+3)+((1+2)+4)"); }

TEST(Describe, TellsWhereTheBiasJoins) {
  EXPECT_EQ(words("(((0+1)+2)+3)", true), "sequential, bias last");
  EXPECT_EQ(words("(((0+3)+1)+2)", true), "sequential, bias first");
  EXPECT_EQ(words("((((0+1)+2)+4)+3)", true), "sequential, bias after 3 terms");
}

TEST(Describe, SaysWhyAnOrderIsUnknown) {
  SumTree t;
  t.why = "of a reason";
  EXPECT_EQ(describe(t), "could not be told: of a reason");
  EXPECT_THAT(to_svg(t, "title"), HasSubstr("of a reason"));
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Svg, DrawsEveryTermAndSumOnce) {
  SumTree t = Reader("((((0+1)+(2+3))+4)+5)").tree();
  t.bias = true;
  const std::string svg = to_svg(t, "a < b & c");
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  EXPECT_EQ(count(svg, "</svg>"), 1u);
  EXPECT_EQ(count(svg, "class=\"term\""), 5u);
  EXPECT_EQ(count(svg, "class=\"bias\""), 1u);
  EXPECT_EQ(count(svg, "<circle"), 5u);
  EXPECT_EQ(count(svg, "<path"), 10u);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Probe, RefusesLengthsAndPartsThatItDoesNotKnow) {
  const Registry registry = builtin_subjects();
  const Subject& loops = *registry.find("loops");
  Options o;
  o.inner = {1};
  EXPECT_THROW(probe(loops, o), std::invalid_argument);
  o.inner = {most_inner + 1};
  EXPECT_THROW(probe(loops, o), std::invalid_argument);
  o.inner = {};
  EXPECT_THROW(probe(loops, o), std::invalid_argument);
  o = {};
  o.largest_batch = 0;
  EXPECT_THROW(probe(loops, o), std::invalid_argument);
  EXPECT_THROW(probe(loops, {}, "nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace ulpfuzz::probe
