#include "tree.hpp"

#include <gtest/gtest.h>

#include <map>

#include "engine.hpp"
#include "evidence_support.hpp"
#include "search.hpp"
#include "variants.hpp"

namespace ulpfuzz::diagnosis {
namespace {

std::size_t variant_of(const std::string& name) {
  for (std::size_t v = 0; v < variants().size(); ++v)
    if (hypotheses()[variants()[v].hypothesis].name == name) return v;
  throw std::invalid_argument(name);
}

/// As the network as a whole gives it.
std::vector<float> whole_network(const Scenario& s, std::size_t variant, std::size_t order,
                                 Pattern pattern) {
  const Hypothesis& h = hypotheses()[variants()[variant].hypothesis];
  Emulation e;
  e.arithmetic = layered(s.network, s.network, h, pattern);
  e.summation = orders()[order];
  return evaluate(s, Quantity::outputs, e);
}

TEST(Tree, PiecewiseEvaluationGivesTheBitsOfTheWhole) {
  std::size_t compared = 0;
  for (const char* name : {"tf32 rna ada", "bf16x3", "fp16 accumulate", "bf16 partials"}) {
    const Scenario s = draw(21, Op::tanh);
    const std::size_t variant = variant_of(name);
    const Pieces pieces(s.network, s.parameters, false);
    const float* input = s.x.data();
    const std::vector<std::size_t> rows{4, 1};
    Tree tree(pieces, {&input, 1}, rows);
    const std::vector<Pattern> patterns{0, 3, 5, 6, 7};
    for (const std::size_t order : {0u, 7u, 19u}) {
      std::map<Pattern, std::vector<float>> got;
      tree.walk(emulated(variant, order), emulated(0, order), patterns,
                [&](Pattern p, std::span<const float> y) { got[p].assign(y.begin(), y.end()); });
      ASSERT_EQ(got.size(), patterns.size());
      for (const auto& [p, y] : got) {
        const auto all = whole_network(s, variant, order, p);
        const std::size_t width = all.size() / s.rows;
        for (std::size_t r = 0; r < rows.size(); ++r)
          for (std::size_t o = 0; o < width; ++o, ++compared)
            EXPECT_TRUE(same_value(y[r * width + o], all[rows[r] * width + o])) << name << " " << p;
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Families, AreOneForEachWayToConvert) {
  std::size_t total = 0;
  for (const Family& f : families()) {
    total += f.variants.size();
    const Variant& first = variants()[f.variants.front()];
    EXPECT_EQ(first.arithmetic.unit.block, 0u);
    for (const std::size_t v : f.variants)
      EXPECT_EQ(variants()[v].arithmetic.operand, first.arithmetic.operand);
  }
  EXPECT_EQ(total, variants().size());
  EXPECT_EQ(families().front().variants, std::vector<std::size_t>{0});
}

TEST(Score, PrefersTheCloserPredictionAndForgivesOneElementFarOff) {
  const std::vector<double> scale(8, 1e-8), observed(8, 1.0);
  std::vector<double> close(8, 1.0 + 1e-8), far(8, 1.0 + 1e-6), one_off = close;
  one_off[3] = 1.001;
  EXPECT_LT(score(observed, close, scale), score(observed, far, scale));
  EXPECT_LT(score(observed, one_off, scale), score(observed, far, scale));
}

TEST(Score, IsALogLikelihoodThatAWiderScaleDoesNotCheat) {
  const std::vector<double> observed(8, 1.0), exact(8, 1.0);
  const std::vector<double> narrow(8, 1e-8), wide(8, 1e-4);
  EXPECT_LT(score(observed, exact, narrow), score(observed, exact, wide));
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
