#include "journal.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "trial_subjects.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using testing::HasSubstr;

JournalKey key() { return {"0123456789abcdef", "batched_vs_sliced", "loops", "", "", {}, {}, 20}; }

Verdict failing() {
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = FailureClass::beyond_bound;
  v.cause = "row leak";
  v.share = std::numeric_limits<double>::infinity();
  v.worst.where = "output[row 3][column 2]";
  v.worst.a = std::numeric_limits<float>::quiet_NaN();
  return v;
}

Verdict passing() {
  Verdict v;
  v.share = 0.1;
  v.elements[2] = 7;
  return v;
}

/// Opens, and collects what is said.
struct Opened {
  explicit Opened(const std::filesystem::path& path, const JournalKey& k = key())
      : journal(path, k, [this](const std::string& line) { said += line + "\n"; }) {}
  std::string said;
  Journal journal;
};

TEST(Journal, RemembersEveryVerdictInFull) {
  const Scratch scratch;
  {
    Opened o(scratch / "a.shrink-journal");
    o.journal.record("aa", failing());
    o.journal.record("bb#2", passing());
    EXPECT_EQ(o.said, "");
  }
  Opened o(scratch / "a.shrink-journal");
  EXPECT_EQ(o.journal.found(), 2);
  const auto a = o.journal.recall("aa");
  ASSERT_TRUE(a);
  EXPECT_EQ(to_json(*a), to_json(failing()));
  const auto b = o.journal.recall("bb#2");
  ASSERT_TRUE(b);
  EXPECT_EQ(to_json(*b), to_json(passing()));
  EXPECT_FALSE(o.journal.recall("cc"));
}

TEST(Journal, IgnoresATornLineWhereverAKillCutsIt) {
  const Scratch scratch;
  const auto path = scratch / "a.shrink-journal";
  {
    Opened o(path);
    o.journal.record("aa", passing());
    o.journal.record("bb", failing());
  }
  const std::string whole = content(path);
  const std::size_t header = whole.find('\n') + 1;
  const std::size_t first = whole.find('\n', header) + 1;
  for (std::size_t cut = 0; cut <= whole.size(); cut += cut < header ? 17 : 1) {
    std::ofstream(path, std::ios::trunc) << whole.substr(0, cut);
    {
      Opened o(path);
      EXPECT_EQ(o.said, "") << cut;
      EXPECT_EQ(o.journal.found(), cut == whole.size() ? 2u : cut >= first ? 1u : 0u) << cut;
      o.journal.record("aa", passing());
      o.journal.record("bb", failing());
    }
    EXPECT_EQ(content(path), whole) << cut;  // as if it had never been cut
  }
}

TEST(Journal, SetsAsideWhatIsOfAnotherShrink) {
  const Scratch scratch;
  const auto path = scratch / "a.shrink-journal";
  Opened(path).journal.record("aa", failing());
  const std::string old = content(path);
  for (int change = 0; change < 5; ++change) {
    JournalKey k = key();
    if (change == 0) k.content_hash[0] = '9';
    if (change == 1) k.subject = "openblas";
    if (change == 2) k.claim = "tf32";
    if (change == 3) k.check.bitwise = true;
    if (change == 4) k.confirmation = {3, 5};
    Opened o(path, k);
    EXPECT_EQ(o.journal.found(), 0) << change;
    EXPECT_FALSE(o.journal.recall("aa")) << change;
    EXPECT_THAT(o.said, HasSubstr("a.shrink-journal.old")) << change;
    EXPECT_EQ(content(scratch / "a.shrink-journal.old"), old) << change;
    std::filesystem::rename(scratch / "a.shrink-journal.old", path);
  }
  std::ofstream(path, std::ios::trunc) << "my notes\n";
  EXPECT_THAT(Opened(path).said, HasSubstr(".old"));
  EXPECT_EQ(content(scratch / "a.shrink-journal.old"), "my notes\n");
}

TEST(Journal, IsLeftAloneWhileAnotherProcessWritesToIt) {
  const Scratch scratch;
  Opened first(scratch / "a.shrink-journal");
  Opened second(scratch / "a.shrink-journal");
  EXPECT_THAT(second.said, HasSubstr("another process"));
  second.journal.record("bb", passing());
  second.journal.remove();
  EXPECT_TRUE(second.journal.recall("bb"));
  first.journal.record("aa", passing());
  EXPECT_THAT(content(scratch / "a.shrink-journal"), testing::Not(HasSubstr("\"bb\"")));
}

TEST(Journal, GoesOnWithoutAFileAndSaysSoOnce) {
  const Scratch scratch;
  Opened nowhere(scratch / "absent/a.shrink-journal");
  nowhere.journal.record("aa", failing());
  EXPECT_TRUE(nowhere.journal.recall("aa"));
  EXPECT_EQ(std::count(nowhere.said.begin(), nowhere.said.end(), '\n'), 1);
  std::filesystem::create_symlink("/dev/full", scratch / "b.shrink-journal");
  Opened device(scratch / "b.shrink-journal");
  EXPECT_THAT(device.said, HasSubstr("no regular file"));
}

TEST(Journal, OutlivesAFullDisk) {
  const Scratch scratch;
  const auto path = scratch / "a.shrink-journal";
  Opened full(path);
  full.journal.record("aa", passing());
  // A full disk takes a part of the line, too.
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{content(path).size() + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  for (const char* hash : {"bb", "cc"}) full.journal.record(hash, passing());
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(full.journal.recall("cc"));
  EXPECT_THAT(full.said, HasSubstr("cannot be written"));
  EXPECT_EQ(std::count(full.said.begin(), full.said.end(), '\n'), 1);
  Opened again(path);
  EXPECT_EQ(again.journal.found(), 1u);
  EXPECT_TRUE(again.journal.recall("aa"));
}

TEST(Journal, StandsBesideTheResult) {
  EXPECT_EQ(journal_beside("d/a.min.case.json"), "d/a.min.shrink-journal");
  EXPECT_EQ(journal_beside("a.case"), "a.shrink-journal");
  EXPECT_EQ(journal_beside("odd"), "odd.shrink-journal");
}

}  // namespace
}  // namespace ulpfuzz
