#include "ulpfuzz/search/distil.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ulpfuzz/generators/source.hpp"

namespace ulpfuzz::search {
namespace {

using Chosen = std::vector<std::size_t>;

std::set<std::uint32_t> all_features(const std::vector<Candidate>& all, const Chosen& chosen) {
  std::set<std::uint32_t> features;
  for (const std::size_t i : chosen)
    features.insert(all[i].features.begin(), all[i].features.end());
  return features;
}

TEST(Distil, OfNothingIsNothing) { EXPECT_EQ(distil({}), Chosen{}); }

TEST(Distil, LeavesOutWhatOthersHave) {
  EXPECT_EQ(distil(std::vector<Candidate>{{{1, 2}, 5}, {{1, 2, 3}, 9}, {{3}, 1}}), Chosen{1});
  EXPECT_EQ(distil(std::vector<Candidate>{{{}, 1}, {{4}, 1}}), Chosen{1});
}

TEST(Distil, PrefersWhatBringsMostThenWhatIsCheapestThenTheFirst) {
  EXPECT_EQ(distil(std::vector<Candidate>{{{1}, 1}, {{1, 2}, 100}}), Chosen{1});
  EXPECT_EQ(distil(std::vector<Candidate>{{{1, 2}, 7}, {{1, 2}, 3}, {{1, 2}, 3}}), Chosen{1});
}

TEST(Distil, TakesTheOwnersOfRareFeaturesFirst) {
  // 2 has the only 9, with which it brings all that 0 and 1 have.
  EXPECT_EQ(distil(std::vector<Candidate>{{{1, 2}, 1}, {{2, 3}, 1}, {{1, 2, 3, 9}, 50}}),
            Chosen{2});
}

TEST(Distil, LosesNoFeatureAndKeepsLittle) {
  generators::SeedSource source(11, 0);
  std::vector<Candidate> all(400);
  for (Candidate& c : all) {
    std::set<std::uint32_t> features;
    const auto height = static_cast<std::uint32_t>(source.below(60));
    for (std::uint32_t f = 0; f <= height; ++f) features.insert(f);  // a thermometer
    for (int k = 0; k < 5; ++k) features.insert(100 + static_cast<std::uint32_t>(source.below(80)));
    c.features.assign(features.begin(), features.end());
    c.cost = 1 + source.below(1000);
  }
  const Chosen chosen = distil(all);
  Chosen everything(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) everything[i] = i;
  EXPECT_EQ(all_features(all, chosen), all_features(all, everything));
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_LE(chosen.size(), 40u);
  EXPECT_EQ(distil(all), chosen);
}

TEST(Distil, OfWhatItChoseChoosesAll) {
  const std::vector<Candidate> all{{{1, 2}, 1}, {{2, 3}, 1}, {{1}, 1}, {{7}, 4}};
  std::vector<Candidate> kept;
  for (const std::size_t i : distil(all)) kept.push_back(all[i]);
  EXPECT_EQ(distil(kept).size(), kept.size());
}

}  // namespace
}  // namespace ulpfuzz::search
