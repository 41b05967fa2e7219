#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "night_process.hpp"
#include "session.hpp"
#include "short_night.hpp"
#include "state.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"

namespace ulpfuzz::resume_test {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;
using nightly::NightlyOptions;
using nightly::Session;
using testing::HasSubstr;
using testing::Not;

/// A night that was begun and not ended, to go on with.
class Resumed : public testing::Test {
 protected:
  Resumed() {
    o_.subjects = {"loops"};
    for (const char* name : {"seeds", "others", "bin", "corpus", "other-corpus"})
      fs::create_directories(scratch_ / name);
    std::ofstream(scratch_ / "known.json") << R"({"schema": 1, "known": []})";
    o_.seeds = {scratch_ / "seeds", scratch_ / "others"};
    o_.fuzzers = scratch_ / "bin";
    const Session begun(o_, subjects_);
    o_.resume = true;
  }
  std::string refusal(const NightlyOptions& o) const {
    try {
      nightly::run_nightly(o, subjects_);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string at(const char* name) const { return fs::canonical(scratch_ / name).string(); }

  const Scratch scratch_;
  const Registry subjects_ = usual_subjects();
  NightlyOptions o_ = short_night(scratch_);
};

TEST_F(Resumed, RefusesAnotherCorpusAndNamesBoth) {
  NightlyOptions o = o_;
  o.corpus = scratch_ / "other-corpus";
  EXPECT_THAT(refusal(o),
              HasSubstr("--corpus was " + at("corpus") + ", now " + at("other-corpus")));
  o.corpus = scratch_ / "not-yet";
  EXPECT_THAT(refusal(o), HasSubstr("--corpus was " + at("corpus")));
  EXPECT_FALSE(fs::exists(o.corpus)) << "nothing is made by mistake";
}

TEST_F(Resumed, RefusesAllElseThatWouldMakeItAnotherNight) {
  NightlyOptions o = o_;
  o.seed = 12;
  o.seeds = {scratch_ / "seeds"};
  o.regressions = {scratch_ / "others"};
  o.known = scratch_ / "known.json";
  o.fuzzers.clear();
  o.publish = false;
  o.cases = 41;
  const std::string why = refusal(o);
  EXPECT_THAT(why, HasSubstr("--seed was 11, now 12"));
  EXPECT_THAT(
      why, HasSubstr("--seeds was " + at("others") + " " + at("seeds") + ", now " + at("seeds")));
  EXPECT_THAT(why, HasSubstr("--regressions was not given, now " + at("others")));
  EXPECT_THAT(why, HasSubstr("--known was not given, now " + at("known.json")));
  EXPECT_THAT(why, HasSubstr("--fuzzers was " + at("bin") + ", now not given"));
  EXPECT_THAT(why, HasSubstr("--no-publish was not given, now given"));
  EXPECT_THAT(why, HasSubstr("--cases was 40, now 41"));
  EXPECT_THAT(why, Not(HasSubstr("--corpus")));
  EXPECT_THAT(why, Not(HasSubstr("--jobs")));
}

TEST_F(Resumed, TakesTheSameFoldersByOtherNames) {
  fs::create_directory_symlink(scratch_ / "corpus", scratch_ / "link");
  NightlyOptions o = o_;
  o.corpus = scratch_ / "link/.";
  o.fuzzers = fs::relative(o.fuzzers);
  std::swap(o.seeds[0], o.seeds[1]);
  fs::create_directories(o.corpus);
  std::ofstream(o.corpus / "known.json") << R"({"schema": 1, "known": []})";
  o.known = scratch_ / "corpus/known.json";  // which it is by default
  o.jobs = 2;
  EXPECT_EQ(nightly::run_nightly(o, subjects_).exit_code, 0);
}

/// As with homes that are mounted elsewhere on each node.
TEST_F(Resumed, TakesTheSameNameOfAnotherPlaceAndTheSamePlaceByItsFormerName) {
  const fs::path link = scratch_ / "link";
  fs::create_directory_symlink(scratch_ / "corpus", link);
  NightlyOptions o = o_;
  o.out = scratch_ / "by-a-link";
  o.corpus = link;
  o.seeds = {link};
  o.fuzzers = link;
  o.resume = false;
  { const Session begun(o, subjects_); }
  fs::remove(link);
  fs::create_directory_symlink(scratch_ / "other-corpus", link);
  const nightly::State then = nightly::read_state(nightly::state_file(o.out));
  EXPECT_NO_THROW(refuse_other(then, o)) << "the same name";
  o.corpus = scratch_ / "corpus";
  o.seeds = {scratch_ / "corpus/."};
  EXPECT_NO_THROW(refuse_other(then, o)) << "the same place";
  EXPECT_EQ(nightly::begun_night(o.out).fuzzers, link) << "as it was said";
  o.corpus = scratch_ / "other-corpus";
  EXPECT_THROW(refuse_other(then, o), std::invalid_argument);
}

TEST_F(Resumed, TakesWhateverFoldersWhereTheNightDoesNotSayWhichItHad) {
  const fs::path file = nightly::state_file(o_.out);
  auto all = nlohmann::json::parse(content(file));
  ASSERT_EQ(all.erase("here"), 1);
  std::ofstream(file) << all.dump();
  NightlyOptions o = o_;
  o.corpus = scratch_ / "other-corpus";
  EXPECT_EQ(nightly::begun_night(o.out).fuzzers, "");
  { const Session again(o, subjects_); }
  EXPECT_EQ(nightly::read_state(file).here.at("corpus"), at("other-corpus")) << "now it does";
  o.seed = 12;
  EXPECT_THAT(refusal(o), HasSubstr("--seed was 11, now 12"));
}

TEST(ResumedByTheTool, TakesSeedAndTargetsFromTheNightAndRefusesOthersWithBothValues) {
  const Scratch scratch;
  for (const char* name : {"bin", "other-bin"}) fs::create_directories(scratch / name);
  NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  o.properties.clear();
  o.cases = 30;
  o.case_timeout = 20;
  o.memory_limit = 4096;
  o.fuzzers = scratch / "bin";
  const Registry subjects = usual_subjects();
  { const Session begun(o, subjects); }
  const std::string again =
      fmt::format("nightly --resume --cases 30 --subject loops --out {} --corpus {}",
                  o.out.string(), o.corpus.string());
  const Result other =
      run(scratch, again + " --seed 7 --fuzzers " + (scratch / "other-bin").string());
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--seed was 11, now 7"));
  EXPECT_THAT(other.err, HasSubstr("--fuzzers was "));
  const Result same = run(scratch, again);
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.err, HasSubstr("seed 11"));
}

/// What another night that publishes, or hangs at it, holds.
class LockedCorpus : public testing::Test {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all{"--out", out_.string(), "--corpus", corpus_.string(), "--seed",
                                 "5",     "--jobs",      "1",        "--subject"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  report::Night night() const {
    const std::string file = (out_ / "summary.json").string();
    return report::night_from_json(content(file), file);
  }
  /// Tells it to end; its exit code, within ten seconds.
  static int end(NightProcess& process) {
    int code = -1;
    EXPECT_LT(seconds_of([&] {
                process.signal(SIGTERM);
                code = process.wait();
              }),
              10);
    return code;
  }

  const Scratch scratch_;
  const fs::path out_ = scratch_ / "night", corpus_ = scratch_ / "corpus";
  std::optional<FolderLock> another_{std::in_place, corpus_};
};

TEST_F(LockedCorpus, IsLeftByANightThatIsToldToEndAndPublishedToWhenItGoesOn) {
  auto asked = arguments({"fault/neighbour_row", "--cases", "30"});
  {
    NightProcess process(scratch_, asked);
    ASSERT_TRUE(comes_true(
        [&] {
          return content(out_ / "summary.json").find("\"running\": false") != std::string::npos &&
                 fs::exists(out_ / "index.html");
        },
        60));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it waits for the corpus
    EXPECT_EQ(end(process), 1) << content(scratch_ / "log");
  }
  expect_reports(out_);
  const report::Night left = night();
  EXPECT_TRUE(left.interrupted);
  EXPECT_TRUE(left.errors.empty());
  ASSERT_FALSE(left.buckets.empty());
  EXPECT_TRUE(fs::exists(out_ / left.buckets.front().bucket.case_file));
  EXPECT_THAT(phase_of(left, "report").note, HasSubstr("not published"));
  EXPECT_THAT(phase_of(left, "report").note, HasSubstr("--resume"));
  EXPECT_FALSE(fs::exists(corpus_ / "ledger.json"));

  another_.reset();
  asked.emplace_back("--resume");
  NightProcess again(scratch_, asked);
  EXPECT_EQ(again.wait(), 1) << content(scratch_ / "log");
  const report::Night over = night();
  EXPECT_FALSE(over.interrupted);
  EXPECT_EQ(phase_of(over, "report").note, "");
  EXPECT_EQ(phase_of(over, "random").cases, phase_of(left, "random").cases) << "done is done";
  EXPECT_THAT(content(corpus_ / "ledger.json"), HasSubstr(over.buckets.front().bucket.id));
}

TEST_F(LockedCorpus, LeavesNoNightGreenThatIsToldToEndBeforeItHasPublished) {
  auto asked = arguments({"loops", "--cases", "30"});
  {
    NightProcess process(scratch_, asked);
    ASSERT_TRUE(comes_true([&] { return fs::exists(out_ / "index.html"); }, 60));
    EXPECT_EQ(end(process), 5) << content(scratch_ / "log");
  }
  EXPECT_EQ(night().exit_code, 5);
  const std::string why = "nothing was published, as the night was told to end";
  EXPECT_THAT(report::headline(night()), HasSubstr(why));
  for (const char* file : {"index.html", "summary.txt", "report.md", "junit.xml"})
    EXPECT_THAT(content(out_ / file), HasSubstr(why)) << file;
  EXPECT_THAT(content(out_ / "results.sarif"), HasSubstr("\"exitCode\": 5"));
  another_.reset();
  asked.emplace_back("--resume");
  NightProcess again(scratch_, asked);
  EXPECT_EQ(again.wait(), 0) << content(scratch_ / "log");
  EXPECT_EQ(report::headline(night()).find(why), std::string::npos);
  EXPECT_THAT(content(corpus_ / "history.jsonl"), HasSubstr(night().id));
}

TEST_F(LockedCorpus, DelaysNoNightThatIsToldToEndInItsSearch) {
  NightProcess process(scratch_, arguments({"loops", "--time", "5m"}));
  ASSERT_TRUE(comes_true([&] { return fs::exists(out_ / "parts/04-random/summary.json"); }));
  EXPECT_EQ(end(process), 5) << content(scratch_ / "log");
  expect_reports(out_);
  EXPECT_TRUE(night().errors.empty());
  EXPECT_THAT(phase_of(night(), "report").note, HasSubstr("not published"));
}

}  // namespace
}  // namespace ulpfuzz::resume_test
