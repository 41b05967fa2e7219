#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "ledger.hpp"
#include "night_folders.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"

namespace ulpfuzz::nightly {
namespace {

namespace fs = std::filesystem;
using nights::bucket;
using report::Night;
using testing::ElementsAre;

/// Puts a case into folder/distilled; returns its hash.
std::string put_distilled(const fs::path& folder, std::uint64_t i) {
  const Case c = nights::small_case(i);
  fs::create_directories(folder / "distilled");
  write_case(folder / "distilled" / (content_hash(c) + ".case"), {c, {}});
  return content_hash(c);
}

/// Night k of some: three distilled cases and two buckets, one of them its own.
Night make_night(const fs::path& folder, unsigned k) {
  Night n = nights::night(fmt::format("202611{:02}T020000Z-{}", 1 + k % 28, k));
  for (std::uint64_t i = 0; i < 3; ++i) put_distilled(folder, 3 * k + i);
  n.buckets = {bucket("all"), bucket(fmt::format("of-{}", k))};
  nights::put_finding(folder, n.buckets[0], 500, "minimal");
  nights::put_finding(folder, n.buckets[1], 501 + k, "minimal");
  return n;
}

void classify_and_publish(const fs::path& corpus, Night night, const fs::path& folder) {
  classify(night, read_ledger(corpus), {}, {}, folder);
  publish(corpus, night, folder);
}

/// A process that does this, and ends.
template <class Work>
pid_t child(const Work& work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    _exit(1);
  }
  _exit(0);
}

int end_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

/// All that is there can be read, and is whole.
void expect_readable(const fs::path& corpus) {
  EXPECT_NO_THROW(read_ledger(corpus));
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".case") && !name.ends_with(".case.json")) continue;
    EXPECT_NO_THROW(read_case(entry.path())) << name;
  }
}

std::vector<std::string> history_ids(const fs::path& corpus) {
  std::vector<std::string> ids;
  for (const report::EarlierNight& n : read_history(corpus)) ids.push_back(n.id);
  return ids;
}

TEST(Publish, LeavesWhatTheNightCameTo) {
  const nights::Folder folder;
  Night n = make_night(folder / "night", 0);
  n.exit_code = 1;
  n.stability = 0.75;
  classify(n, {}, {}, {}, folder / "night");
  publish(folder / "corpus", n, folder / "night");
  EXPECT_EQ(nights::tree(folder / "corpus/distilled"), nights::tree(folder / "night/distilled"));
  EXPECT_EQ(nights::tree(folder / "corpus/failing").size(), 4);
  EXPECT_EQ(nights::content(folder / "corpus/failing/of-0/minimal.txt"),
            nights::content(folder / "night/findings/of-0/minimal.txt"));
  const auto history = read_history(folder / "corpus");
  ASSERT_EQ(history.size(), 1);
  EXPECT_EQ(history[0].id, n.id);
  EXPECT_EQ(history[0].date, n.date);
  EXPECT_EQ(history[0].exit_code, 1);
  EXPECT_EQ(history[0].cases, 100);
  EXPECT_EQ(history[0].share_max, 0.5);
  EXPECT_EQ(history[0].stability, 0.75);
  EXPECT_EQ(history[0].buckets.at("new"), 2);
  EXPECT_DOUBLE_EQ(history[0].cases_per_second, 100.0 / 60);
}

TEST(Publish, TellsTheLedgerWhateverIsWrongWithTheCases) {
  for (const char* place : {"fuzzing", "distilled"}) {
    const nights::Folder folder;
    fs::create_directories(folder / "corpus");
    std::ofstream(folder / "corpus" / place) << "no folder";
    fs::create_directories(folder / "night/fuzzing-kept/fuzz_npy");
    std::ofstream(folder / "night/fuzzing-kept/fuzz_npy/abc") << "an input";
    const Night n = make_night(folder / "night", 0);
    EXPECT_THROW(classify_and_publish(folder / "corpus", n, folder / "night"), std::exception);
    EXPECT_EQ(read_ledger(folder / "corpus").size(), 2) << place;
    EXPECT_EQ(history_ids(folder / "corpus").size(), 1) << place;
    EXPECT_EQ(nights::tree(folder / "corpus/failing").size(), 4) << place;
  }
}

TEST(Publish, TellsOfALockAndOfWhatWasWrongBeforeIt) {
  const nights::Folder folder;
  const fs::path corpus = folder / "corpus";
  fs::create_directories(corpus);
  std::ofstream(corpus / "distilled") << "no folder";
  const Night n = make_night(folder / "night", 0);
  const FolderLock another(corpus);
  EXPECT_THAT([&] { publish(corpus, n, folder / "night", [] { return true; }); },
              testing::ThrowsMessage<FolderBusy>(
                  testing::AllOf(testing::HasSubstr("another process has held it"),
                                 testing::HasSubstr((corpus / "distilled").string()))));
}

TEST(Publish, OfTheSameNightTwiceChangesNothing) {
  const nights::Folder folder;
  const Night a = make_night(folder / "a", 1), b = make_night(folder / "b", 2);
  publish(folder / "corpus", a, folder / "a");
  const auto once = nights::tree(folder / "corpus");
  publish(folder / "corpus", a, folder / "a");
  EXPECT_EQ(nights::tree(folder / "corpus"), once);
  publish(folder / "corpus", b, folder / "b");
  const auto both = nights::tree(folder / "corpus");
  EXPECT_NE(both, once);
  publish(folder / "corpus", a, folder / "a");
  publish(folder / "corpus", b, folder / "b");
  EXPECT_EQ(nights::tree(folder / "corpus"), both);
}

TEST(Publish, DropsWhatTheNightReadAndDidWithoutAndNothingElse) {
  const nights::Folder folder;
  const std::string others = put_distilled(folder / "corpus", 1);
  const std::string covered = put_distilled(folder / "corpus", 2);
  const std::string still = put_distilled(folder / "corpus", 3);
  const std::string fresh = put_distilled(folder / "night", 4);
  put_distilled(folder / "night", 3);
  nights::put(folder / "night/distilled/read.txt", covered + "\n" + still + "\n../ledger\n");
  nights::put(folder / "corpus/known.json", "people's");
  publish(folder / "corpus", nights::night("20261101T020000Z-1"), folder / "night");
  std::set<std::string> left;
  for (const auto& [name, bytes] : nights::tree(folder / "corpus/distilled")) left.insert(name);
  EXPECT_THAT(left,
              testing::UnorderedElementsAre(others + ".case", still + ".case", fresh + ".case"));
  EXPECT_EQ(nights::content(folder / "corpus/known.json"), "people's");
}

TEST(Publish, DropsWhatAKilledProcessLeftHalfWrittenLongAgo) {
  const nights::Folder folder;
  const fs::path corpus = folder / "corpus";
  for (const char* name : {"distilled/a.case.7-0.tmp", "failing/x/minimal.txt.7-1.tmp",
                           "ledger.json.7-2.tmp", "ledger.json.8-0.tmp", "seeds/a.tmp"}) {
    nights::put(corpus / name, "half");
    if (std::string(name).find(".8-") == std::string::npos)
      fs::last_write_time(corpus / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  publish(corpus, nights::night("20261101T020000Z-1"), folder / "night");
  std::set<std::string> left;
  for (const auto& [name, bytes] : nights::tree(corpus))
    if (name.ends_with(".tmp")) left.insert(name);
  EXPECT_THAT(left, ElementsAre("ledger.json.8-0.tmp", "seeds/a.tmp"))
      << "one at work, and people's";
}

TEST(Publish, ByFourProcessesAtOnceLosesNothing) {
  constexpr unsigned processes = 4, each = 6;
  const nights::Folder folder;
  const fs::path corpus = folder / "corpus";
  std::vector<Night> all;
  for (unsigned k = 0; k < processes * each; ++k)
    all.push_back(make_night(folder / std::to_string(k), k));
  std::vector<pid_t> running;
  for (unsigned p = 0; p < processes; ++p)
    running.push_back(child([&] {
      for (unsigned k = p; k < all.size(); k += processes)
        classify_and_publish(corpus, all[k], folder / std::to_string(k));
    }));
  for (const pid_t pid : running) EXPECT_EQ(end_of(pid), 0);
  expect_readable(corpus);
  EXPECT_EQ(nights::tree(corpus / "distilled").size(), 3 * all.size());
  EXPECT_EQ(history_ids(corpus).size(), all.size());
  const Ledger ledger = read_ledger(corpus);
  EXPECT_EQ(ledger.size(), all.size() + 1);
  EXPECT_EQ(ledger.at("all").nights, all.size());
  EXPECT_EQ(ledger.at("all").first_seen, all.front().id);
  EXPECT_EQ(read_ledger_file(corpus).nights.size(), all.size());
  for (const auto& entry : fs::recursive_directory_iterator(corpus))
    EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST(Publish, KilledAtAnyTimeLeavesAReadableCorpusThatCatchesUp) {
  constexpr unsigned count = 4;
  const nights::Folder folder;
  std::vector<Night> all;
  for (unsigned k = 0; k < count; ++k) all.push_back(make_night(folder / std::to_string(k), k));
  const auto publish_all = [&](const fs::path& corpus) {
    for (unsigned k = 0; k < count; ++k)
      classify_and_publish(corpus, all[k], folder / std::to_string(k));
  };
  const auto began = std::chrono::steady_clock::now();
  publish_all(folder / "whole");
  const auto whole_time = std::chrono::steady_clock::now() - began;
  unsigned killed = 0;
  constexpr unsigned tries = 60;
  for (unsigned t = 0; t < tries; ++t) {
    const fs::path corpus = folder / fmt::format("killed-{}", t);
    const pid_t pid = child([&] { publish_all(corpus); });
    std::this_thread::sleep_for(whole_time * t / tries);
    kill(pid, SIGKILL);
    if (WIFSIGNALED(end_of(pid))) ++killed;
    fs::create_directories(corpus);
    expect_readable(corpus);
    publish_all(corpus);
    auto tree = nights::tree(corpus), whole = nights::tree(folder / "whole");
    std::erase_if(tree, [](const auto& f) { return f.first.ends_with(".tmp"); });
    // A night that was seen as new, and is told of again, is as new as it was.
    EXPECT_EQ(tree, whole) << "after " << t;
    if (testing::Test::HasFailure()) return;
    fs::remove_all(corpus);
  }
  EXPECT_GT(killed, tries / 4) << "most must be cut, or nothing is shown";
}

TEST(Publish, CountsANightOfMoreShardsForThatOfLess) {
  const nights::Folder folder;
  Night n = make_night(folder / "night", 1);
  n.id = "20261101T020000Z-1-merged2";
  n.shards = {"a", "b"};
  classify_and_publish(folder / "corpus", n, folder / "night");
  Night more = n;
  more.id = "20261101T020000Z-1-merged3";
  more.shards = {"a", "b", "c"};
  classify(more, read_ledger(folder / "corpus"), {}, {}, folder / "night");
  EXPECT_EQ(more.buckets[0].state, report::BucketState::fresh);
  publish(folder / "corpus", more, folder / "night");
  EXPECT_EQ(read_ledger(folder / "corpus").at("all").nights, 1);
  EXPECT_THAT(history_ids(folder / "corpus"), ElementsAre(more.id));
  publish(folder / "corpus", n, folder / "night");
  EXPECT_THAT(history_ids(folder / "corpus"), ElementsAre(more.id));
}

TEST(Publish, DropsTheCasesOfBucketsThatWereFixedLongAgo) {
  const nights::Folder folder;
  LedgerFile ledger;
  for (unsigned k = 0; k < 503; ++k) {
    const std::string id = fmt::format("fixed-{:03}", k);
    ledger.buckets[id].fixed = true;
    ledger.buckets[id].fixed_in = fmt::format("2025{:04}", k);
    nights::put(folder / "corpus/failing" / id / "minimal.case.json", "a case");
  }
  ledger.buckets["open"] = {};
  nights::put(folder / "corpus/failing/open/minimal.case.json", "a case");
  nights::put(folder / "corpus/ledger.json", to_json(ledger));
  publish(folder / "corpus", nights::night("20261101T020000Z-1"), folder / "night");
  const fs::path failing = folder / "corpus/failing";
  EXPECT_FALSE(fs::exists(failing / "fixed-000"));
  EXPECT_FALSE(fs::exists(failing / "fixed-002"));
  EXPECT_TRUE(fs::exists(failing / "fixed-003"));
  EXPECT_TRUE(fs::exists(failing / "open"));
  EXPECT_EQ(read_ledger(folder / "corpus").size(), 504) << "the ledger forgets nothing";
}

TEST(History, LeavesOutLinesThatCannotBeRead) {
  const nights::Folder folder;
  publish(folder / "corpus", nights::night("20261102T020000Z-1"), folder / "none");
  const fs::path file = folder / "corpus/history.jsonl";
  const std::string line = nights::content(file);
  nights::put(file, "{}\n" + line + "[1, 2]\n" + line.substr(0, line.size() / 2));
  EXPECT_THAT(history_ids(folder / "corpus"), ElementsAre("20261102T020000Z-1"));
  // The cut line must not swallow the next one.
  publish(folder / "corpus", nights::night("20261101T020000Z-1"), folder / "none");
  EXPECT_THAT(history_ids(folder / "corpus"),
              ElementsAre("20261101T020000Z-1", "20261102T020000Z-1"));
}

}  // namespace
}  // namespace ulpfuzz::nightly
