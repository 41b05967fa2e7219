#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "distillery.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/runner/corpus_file.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;
using nightly::CaseReader;
using nightly::Distillery;

constexpr const char* property = "batched_vs_sliced";

/// Writes case i of a few thousand small ones, and returns its name.
std::string put_case(const fs::path& folder, std::uint64_t i, const std::string& subject) {
  generators::Limits limits;
  limits.depth = 2;
  limits.width = 4;
  limits.batch = 4;
  const Case c = generators::case_from_seed(77, i, limits);
  const auto bytes = to_bytes({c, {{"property", property}, {"subject", subject}}});
  const std::string name = corpus_file_name(c, property, subject);
  fs::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return name;
}

std::set<std::string> put_many_cases(const fs::path& folder, std::uint64_t from, std::uint64_t to,
                                     const std::string& subject = "loops") {
  std::set<std::string> names;
  for (std::uint64_t i = from; i < to; ++i) names.insert(put_case(folder, i, subject));
  return names;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".case") names.insert(entry.path().filename().string());
  return names;
}

TEST(CaseReader, GivesEachCaseOnceInSlicesAndNamesWhatIsDamaged) {
  const Scratch scratch;
  std::set<std::string> names = put_many_cases(scratch / "a", 0, 300);
  names.merge(put_many_cases(scratch / "b/deeper", 200, 400));
  for (int i = 0; i < 70; ++i)
    std::ofstream(scratch / fmt::format("b/0-torn-{:02}.case", i)) << "ULPCASE";
  CaseReader reader({scratch / "a", scratch / "b", scratch / "missing"}, [] { return false; });
  EXPECT_EQ(reader.left(), 300U + 200U + 70U);
  std::set<std::string> seen;
  std::size_t slices = 0, cases = 0;
  for (auto slice = reader.next(64); !slice.empty(); slice = reader.next(64)) {
    ++slices;
    EXPECT_LE(slice.size(), 64U);
    for (const GivenCase& c : slice) {
      ++cases;
      seen.insert(corpus_file_name(c.content.value, property, "loops"));
    }
  }
  EXPECT_EQ(seen, names);
  EXPECT_EQ(cases, names.size());
  EXPECT_EQ(slices, (names.size() + 63) / 64);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(reader.unusable().size(), 70U);
}

TEST(CaseReader, TakesAFileThatWentMeanwhileForNone) {
  const Scratch scratch;
  const auto names = put_many_cases(scratch / "a", 0, 10);
  CaseReader reader({scratch / "a"}, [] { return false; });
  fs::remove(scratch / "a" / *names.begin());
  EXPECT_EQ(reader.next().size(), names.size() - 1);
  EXPECT_TRUE(reader.unusable().empty());
}

std::vector<nightly::DistilledCase> drawn_cases() {
  const auto n = *rc::gen::inRange<std::size_t>(0, 120);
  std::vector<nightly::DistilledCase> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i].file = std::to_string(i);
    const auto drawn =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 40));
    const std::set<std::uint32_t> features(drawn.begin(), drawn.end());
    all[i].shown.features.assign(features.begin(), features.end());
    all[i].shown.cost = *rc::gen::inRange<std::uint64_t>(1, 5);
  }
  return all;
}

std::string pair_of(const nightly::DistilledCase& c) { return std::stoi(c.file) % 2 ? "x" : "y"; }

/// "x 17": a feature of a pair.
std::set<std::string> features_of(const std::vector<nightly::DistilledCase>& cases) {
  std::set<std::string> all;
  for (const auto& c : cases)
    for (const std::uint32_t f : c.shown.features) all.insert(fmt::format("{} {}", pair_of(c), f));
  return all;
}

RC_GTEST_PROP(Distillery, ChoosesAsDistilDoesWhileAllFitsAndLosesNoFeatureBeyond, ()) {
  const auto cases = drawn_cases();
  Distillery large, small(8);
  std::vector<search::Candidate> all;
  for (const auto& c : cases) {
    large.add(pair_of(c), c);
    small.add(pair_of(c), c);
    all.push_back(c.shown);
    for (std::uint32_t& f : all.back().features) f += pair_of(c) == "x" ? 4096 : 0;
  }
  std::set<std::string> expected, chosen;
  for (const std::size_t i : search::distil(all)) expected.insert(cases[i].file);
  const auto few = large.chosen(), fewer = small.chosen();
  for (const auto& c : few) chosen.insert(c.file);
  RC_ASSERT(chosen == expected);
  RC_ASSERT(features_of(few) == features_of(cases));
  RC_ASSERT(features_of(fewer) == features_of(cases));
  RC_ASSERT(fewer.size() <= features_of(cases).size());
}

/// A session keeps no subjects of its own.
const Registry& all_subjects() {
  static const Registry registry = usual_subjects();
  return registry;
}

nightly::NightlyOptions of_loops(const Scratch& scratch, const std::string& name) {
  nightly::NightlyOptions o = short_night(scratch, name);
  o.subjects = {"loops"};
  return o;
}

/// A subject that no second is enough for, and a night that has one to distil, of some.
class SlowDistil : public testing::Test {
 protected:
  SlowDistil() {
    o_.subjects = {"slow"};
    o_.cases = 0;
    o_.seconds = 20;
  }

  const Scratch scratch_;
  const Registry slow_ = mutants::staged(
      "slow", [](const Evaluation&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  nightly::NightlyOptions o_ = short_night(scratch_);
};

TEST_F(SlowDistil, DropsNothingOfTheCorpusThatItHadNoTimeFor) {
  const auto old = put_many_cases(o_.corpus / "distilled", 0, 3000, "slow");
  nightly::Session session(o_, slow_);
  nightly::distil(session);
  const report::Phase& phase = session.phase("distil");
  ASSERT_EQ(phase.state, report::Phase::State::cut) << phase.note;
  EXPECT_NE(phase.note.find("no time was left for"), std::string::npos) << phase.note;
  std::set<std::string> judged;
  std::ifstream read(o_.out / "distilled/read.txt");
  for (std::string line; std::getline(read, line);) judged.insert(line + ".case");
  EXPECT_FALSE(judged.empty());
  EXPECT_LT(judged.size(), old.size());
  nightly::publish(o_.corpus, session.night(), o_.out);
  const auto left = names_in(o_.corpus / "distilled");
  EXPECT_EQ(left.size(), session.night().corpus);
  for (const std::string& name : old)
    EXPECT_TRUE(judged.count(name) > 0 || left.count(name) > 0) << name;
  for (const std::string& name : names_in(o_.out / "distilled"))
    EXPECT_EQ(judged.count(name), 1U) << name;
}

TEST_F(SlowDistil, LooksAtTheLatestTurnFirst) {
  nightly::Session session(o_, slow_);
  for (const char* turn : {"05-search", "05-search.2"})
    put_many_cases(o_.out / "parts" / turn / "corpus/worker-0", 3000, 3100, "slow");
  const auto latest =
      put_many_cases(o_.out / "parts/05-search.10/corpus/worker-0", 0, 3000, "slow");
  nightly::distil(session);
  const report::Phase& phase = session.phase("distil");
  ASSERT_EQ(phase.state, report::Phase::State::cut) << phase.note;
  const auto chosen = names_in(o_.out / "distilled");
  EXPECT_FALSE(chosen.empty());
  for (const std::string& name : chosen) EXPECT_EQ(latest.count(name), 1U) << name;
}

/// Another night may publish to the same corpus meanwhile.
TEST(Distil, RemovesNothingIfWhatItChoseIsGone) {
  const Scratch scratch;
  auto o = of_loops(scratch, "night");
  o.subjects = {"another_night"};
  put_many_cases(o.corpus / "distilled", 0, 40, "another_night");
  std::error_code error;
  for (const bool removes : {false, true}) {
    o.out = scratch / (removes ? "gone" : "there");
    Registry subjects = mutants::staged("another_night", [&](const Evaluation&) {
      if (removes) fs::remove_all(o.corpus / "distilled", error);
    });
    nightly::Session session(o, subjects);
    nightly::distil(session);
    EXPECT_TRUE(session.night().errors.empty());
    EXPECT_EQ(names_in(o.out / "distilled").empty(), removes);
    EXPECT_EQ(mutants::content(o.out / "distilled/read.txt").empty(), removes);
  }
}

TEST(Replay, OfMoreCasesThanASliceReplaysAll) {
  const Scratch scratch;
  nightly::NightlyOptions o = of_loops(scratch, "night");
  const auto old = put_many_cases(o.corpus / "distilled", 0, 2500);
  nightly::Session session(o, all_subjects());
  nightly::replay_corpus(session);
  const report::Phase& phase = phase_of(session.night(), "replay");
  EXPECT_EQ(phase.state, report::Phase::State::done);
  EXPECT_EQ(phase.cases, old.size());
  EXPECT_EQ(session.night().cases, old.size());
  EXPECT_EQ(session.night().stability, 1);
  EXPECT_NE(phase.note.find(fmt::format("of {} tried twice, 100.0 %", old.size())),
            std::string::npos)
      << phase.note;
}

}  // namespace
}  // namespace ulpfuzz
