#include <gmock/gmock.h>
#include <signal.h>

#include <cstring>
#include <set>
#include <span>

#include "climber.hpp"
#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/judge.hpp"

/// A campaign that climbs gives the same cases whatever becomes of its workers.
namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using mutants::staged;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

CampaignOptions climbing(const Scratch& scratch, std::uint64_t cases) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.search = Search::climb;
  o.seed = 11;
  o.cases = cases;
  o.out = scratch / "out";
  o.limits = {.depth = 3, .width = 17, .batch = 17, .work = 20'000};
  o.shrink_evaluations = 0;
  return o;
}

/// Plain loops that forget a product of large numbers in batches: fails in some cases of each kind.
class Forgets final : public KernelSubject {
 public:
  std::string_view name() const override { return "forgets"; }

 protected:
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    KernelSubject::linear(x, w, bias, rows, k, n, y);
    if (rows > 2 && k > 3 && n > 2 && x[1] > 0.5f && w[1] < 0) y[1] -= x[1] * w[1];
  }
};

using Ends = std::function<bool(const Case&)>;

/// What the campaign should come to: all in one process, in which nothing ends.
struct Expected {
  std::uint64_t fail = 0, pass = 0, mutations = 0, kept = 0;
  double share = 0;
};
Expected expected(const CampaignOptions& o, const Subject& subject, const Ends& ends = {}) {
  Expected e;
  CheckContext context;
  for (unsigned w = 0; w < o.jobs; ++w) {
    search::Pool pool;
    for (std::uint64_t i = w; i < o.cases; i += o.jobs) {
      generators::SeedSource source = source_of(o, i);
      const Case c = pool.next(source, o.limits);
      e.mutations += pool.drawn() ? 0 : 1;
      Verdict v;
      if (ends && ends(c)) {
        v.outcome = Outcome::fail;
      } else {
        v = judge(properties::batched_vs_sliced, c, subject, {}, context);
      }
      e.kept += pool.offer(c, v) ? 1 : 0;
      e.fail += v.failed() ? 1 : 0;
      e.pass += v.outcome == Outcome::pass ? 1 : 0;
      if (v.failed() || v.outcome == Outcome::pass) e.share = std::max(e.share, v.share);
    }
  }
  return e;
}

void expect_equal(const CampaignResult& r, const Expected& e) {
  EXPECT_EQ(r.verdicts.at("fail"), e.fail);
  EXPECT_EQ(r.verdicts.at("pass"), e.pass);
  EXPECT_EQ(r.corpus, e.kept);
  EXPECT_EQ(r.pairs.at(0).share_max, e.share);
  EXPECT_TRUE(r.errors.empty());
}

TEST(Climb, GoesOnAcrossHandOversAsIfThereWereNone) {
  for (const unsigned jobs : {1U, 2U}) {
    const Scratch scratch;
    CampaignOptions o = climbing(scratch, 600);
    o.jobs = jobs;
    const Expected e = expected(o, Forgets());
    ASSERT_GT(e.fail, 6u);
    ASSERT_GT(e.mutations, 80u);
    ASSERT_GT(e.kept, 30u);
    const CampaignResult r = run_campaign(o, only(std::make_unique<Forgets>()));
    expect_equal(r, e);
    EXPECT_EQ(r.exit_code(), 1);
  }
}

/// By what the batch and all slices are given alike.
bool ends(std::size_t batch, std::span<const Tensor> parameters) {
  if (batch == 0 || parameters.empty() || parameters[0].data.empty()) return false;
  std::uint32_t bits = 0;
  std::memcpy(&bits, parameters[0].data.data(), sizeof bits);
  return ((bits * 0x9e3779b97f4a7c15u) >> 32) % 29 == 0;
}

TEST(Climb, GivesTheSuccessorTheVeryCaseThatKilledAWorker) {
  const Scratch scratch;
  CampaignOptions o = climbing(scratch, 400);
  const Ends kills = [](const Case& c) { return ends(c.batch(), c.parameters); };
  const auto honest = staged("kills", [](auto&) {});
  const Expected e = expected(o, *honest.all()[0], kills);
  ASSERT_GT(e.fail, 3u);
  ASSERT_GT(e.mutations, 40u);
  const CampaignResult r = run_campaign(o, staged("kills", [](const Evaluation& evaluation) {
                                          if (ends(evaluation.batch, evaluation.parameters))
                                            raise(SIGSEGV);
                                        }));
  EXPECT_EQ(r.verdicts.at("fail"), e.fail);
  EXPECT_EQ(r.verdicts.at("pass"), e.pass);
  EXPECT_EQ(r.corpus, e.kept);
  ASSERT_EQ(r.buckets.size(), 1u);
  EXPECT_EQ(r.buckets[0].failure_class, "crash");
  EXPECT_GT(r.buckets[0].reproduced, 0u);
  EXPECT_TRUE(kills(read_case(r.buckets[0].case_file).value));
}

std::set<std::string> files(const fs::path& folder) {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      all.insert(fs::relative(entry.path(), folder).string() + " " + content(entry.path()));
  return all;
}

TEST(Climb, IsAFunctionOfSeedJobsAndCases) {
  std::vector<std::set<std::string>> found, kept;
  for (int round = 0; round < 2; ++round) {
    const Scratch scratch;
    CampaignOptions o = climbing(scratch, 300);
    o.jobs = 2;
    const CampaignResult r = run_campaign(o, only(std::make_unique<Forgets>()));
    auto& names = found.emplace_back();
    for (const auto& entry : fs::recursive_directory_iterator(o.out / "findings"))
      names.insert(fs::relative(entry.path(), o.out).string());
    kept.push_back(files(o.out / "corpus"));
  }
  EXPECT_GT(found[0].size(), 3u);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_GT(kept[0].size(), 10u);
  EXPECT_EQ(kept[0], kept[1]);
}

TEST(Climb, TellsOfAFindingHowToSeeItAgain) {
  const Scratch scratch;
  std::vector<std::string> said;
  CampaignOptions o = climbing(scratch, 300);
  o.report = [&said](const std::string& line) { said.push_back(line); };
  const CampaignResult r = run_campaign(o, only(std::make_unique<Forgets>()));
  ASSERT_FALSE(r.buckets.empty());
  const fs::path& file = r.buckets[0].case_file;
  EXPECT_THAT(read_case(file).notes.at("origin"), HasSubstr("search that climbs, seed 11"));
  int commands = 0;
  for (const std::string& line : said) {
    EXPECT_THAT(line, Not(HasSubstr("--index")));
    const auto at = line.find("ulpfuzz replay ");
    if (at == std::string::npos) continue;
    ++commands;
    const std::string path = line.substr(at + 15, line.find(" --", at) - at - 15);
    EXPECT_TRUE(fs::exists(path)) << path;
  }
  EXPECT_GT(commands, 0);
}

TEST(Climb, TakesSeedsOfItsPropertyAlone) {
  const Scratch scratch;
  CampaignOptions o = climbing(scratch, 40);
  fs::create_directories(scratch / "seeds/deeper");
  // Cases that nothing but chance would draw again: their first input is this number.
  std::set<std::uint64_t> wanted;
  for (std::uint64_t i = 0, n = 0; n < 4; ++i) {
    Case c = generators::case_from_seed(77, i, o.limits);
    if (c.batch() == 0 || c.inputs[0].data.empty()) continue;
    c.inputs[0].data[0] = 0x1.234568p-3f;
    const std::string property = n == 3 ? "loop_vs_vectorized" : "batched_vs_sliced";
    write_case(scratch / fmt::format("seeds/deeper/{}.case", n++), {c, {{"property", property}}});
  }
  std::ofstream(scratch / "seeds/torn.case") << "ULPCASE";
  o.seeds = {scratch / "seeds"};
  std::string said;
  o.report = [&said](const std::string& line) { said += line + "\n"; };
  const fs::path log = scratch / "log";
  const CampaignResult r = run_campaign(
      o, staged("logs", [&log](const Evaluation& e) {
        const auto width = e.network.node(e.network.inputs()[0]).shape.size();
        if (e.batch == 0 || width == 0 || e.inputs[0][0] != 0x1.234568p-3f) return;
        std::ofstream(log, std::ios::app) << e.network.nodes().size() << ' ' << e.batch << '\n';
      }));
  std::set<std::string> met;
  std::istringstream lines(content(log));
  for (std::string line; std::getline(lines, line);) met.insert(line);
  for (std::uint64_t n = 0; n < 3; ++n) {
    const Case c = read_case(scratch / fmt::format("seeds/deeper/{}.case", n)).value;
    EXPECT_TRUE(met.count(fmt::format("{} {}", c.network.nodes().size(), c.batch()))) << n;
  }
  EXPECT_THAT(said, HasSubstr("1 seed left out that cannot be read"));
  EXPECT_EQ(r.seeds, 3u);  // of this property
  EXPECT_EQ(r.unreadable_seeds, 1u);
  EXPECT_THAT(content(o.out / "summary.json"), HasSubstr("\"unreadable_seeds\": 1"));
  EXPECT_THAT(content(o.out / "summary.txt"),
              HasSubstr("seeds: 1 left out that cannot be read, 3 taken"));
}

TEST(Climb, RefusesWhatDoesNotGoWithIt) {
  const Scratch scratch;
  const auto subjects = staged("honest", [](auto&) {});
  CampaignOptions o = climbing(scratch, 10);
  o.index = 3;
  EXPECT_THROW(run_campaign(o, subjects), std::invalid_argument);
  o = climbing(scratch, 10);
  o.seeds = {scratch / "none"};
  EXPECT_THROW(run_campaign(o, subjects), FileError);
  o.search = Search::random;
  EXPECT_THROW(run_campaign(o, subjects), std::invalid_argument);
}

TEST(RandomCampaign, KeepsCasesWorthKeepingWhereThatIsAsked) {
  const Scratch scratch;
  CampaignOptions o = climbing(scratch, 300);
  o.search = Search::random;
  o.jobs = 2;
  o.corpus = scratch / "corpus";
  const CampaignResult r = run_campaign(o, only(std::make_unique<Forgets>()));
  ASSERT_GT(r.verdicts.at("fail"), 0u);
  CheckContext context;
  std::size_t kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(o.corpus)) {
    if (!entry.is_regular_file()) continue;
    ++kept;
    const CaseFile file = read_case(entry.path());
    EXPECT_EQ(entry.path().filename().string(),
              content_hash(file.value) + "-batched_vs_sliced-forgets.case");
    EXPECT_EQ(file.notes.at("property"), "batched_vs_sliced");
    EXPECT_EQ(file.notes.at("subject"), "forgets");
    const Verdict v = judge(properties::batched_vs_sliced, file.value, Forgets(), {}, context);
    EXPECT_EQ(v.outcome, Outcome::pass);
    EXPECT_GT(v.share, 0x1p-12);
  }
  EXPECT_GT(kept, 20u);
  EXPECT_LE(kept, r.corpus);
  EXPECT_TRUE(fs::exists(o.corpus / "worker-0"));
  EXPECT_TRUE(fs::exists(o.corpus / "worker-1"));
  // The cases themselves are those of a campaign that keeps none.
  CampaignOptions plain = o;
  plain.corpus.clear();
  plain.out = scratch / "plain";
  EXPECT_EQ(run_campaign(plain, only(std::make_unique<Forgets>())).share_max, r.share_max);
}

TEST(GivenCase, MayBeForOneSubjectAlone) {
  const Scratch scratch;
  CampaignOptions o;
  o.out = scratch / "out";
  o.properties = {"batched_vs_sliced"};
  const Case c = generators::case_from_seed(2, 1, generators::plain_limits(false));
  o.given = {{"a", {c, {}}, "forgets"}, {"b", {c, {}}}};
  Registry both = only(std::make_unique<Forgets>());
  both.merge(staged("honest", [](auto&) {}));
  const CampaignResult r = run_campaign(o, both);
  for (const PairCounts& p : r.pairs) EXPECT_EQ(p.cases, p.subject == "forgets" ? 2u : 1u);
  EXPECT_EQ(r.cases, 3u);
}

}  // namespace
}  // namespace ulpfuzz
