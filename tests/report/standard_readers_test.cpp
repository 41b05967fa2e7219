#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>

#include "sample_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using testing_support::Folder;

namespace fs = std::filesystem;

int shell(const std::string& command) { return std::system(command.c_str()); }

/// What junitparser finds in a file: counts, and the names of failing test cases.
struct Found {
  int tests = -1, failures = -1, errors = -1, skipped = -1;
  std::multiset<std::string> failing;
};

Found read_by_junitparser(const fs::path& file) {
  const fs::path out = file.string() + ".found";
  EXPECT_EQ(shell("/usr/bin/python3 " ULPFUZZ_SOURCE_DIR "/tests/report/read_junit.py " +
                  file.string() + " > " + out.string()),
            0);
  std::ifstream in(out);
  Found found;
  std::string name;
  in >> name >> found.tests >> found.failures >> found.errors >> found.skipped;
  while (in >> name) found.failing.insert(name);
  return found;
}

TEST(StandardReaders, FindInJunitXmlWhatTheNightHas) {
  if (shell("/usr/bin/python3 -c 'import junitparser' 2> /dev/null") != 0)
    GTEST_SKIP() << "python3 has no junitparser; ci/setup --test installs it";
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  ASSERT_TRUE(write_reports(night, folder.path()).empty());
  const Found found = read_by_junitparser(folder.path() / "junit.xml");
  // Phases, infrastructure, over, enough; regressions; pairs; buckets.
  EXPECT_EQ(found.tests, int(night.phases.size() + 3 + night.regressions.size() +
                             night.pairs.size() + night.buckets.size()));
  EXPECT_EQ(found.errors, 0);
  // Each red bucket, its pair, and a regression that fails with it.
  std::multiset<std::string> expected;
  std::set<std::string> pairs;
  for (const NightBucket& b : night.buckets) {
    if (b.state != BucketState::fresh && b.state != BucketState::open &&
        b.state != BucketState::returned)
      continue;
    expected.insert(b.bucket.id);
    if (pairs.insert(b.bucket.property + b.bucket.subject).second)
      expected.insert(b.bucket.subject);
  }
  for (const auto& [file, outcome] : night.regressions)
    if (expected.count(outcome) > 0) expected.insert(file);
  EXPECT_EQ(found.failing, expected);
  EXPECT_EQ(found.failures, int(expected.size()));
}

TEST(StandardReaders, ReadJunitXmlOfHostileTexts) {
  if (shell("/usr/bin/python3 -c 'import junitparser' 2> /dev/null") != 0)
    GTEST_SKIP() << "python3 has no junitparser; ci/setup --test installs it";
  const Folder folder;
  Night night = samples::hostile_night(folder.path());
  for (int i = 0; i < 256; ++i) night.errors[0] += static_cast<char>(i);
  std::ofstream(folder.path() / "junit.xml") << to_junit(night, folder.path());
  const Found found = read_by_junitparser(folder.path() / "junit.xml");
  EXPECT_GT(found.tests, int(night.buckets.size()));
  EXPECT_EQ(found.errors, 1);
}

}  // namespace
}  // namespace ulpfuzz::report
