#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html_page.hpp"
#include "html_support.hpp"
#include "sample_night.hpp"
#include "support/folder.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::report {
namespace {

using samples::between;
using samples::data_of;
using samples::markup;
using samples::occurrences;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing_support::Folder;

constexpr std::array<const char*, 10> all_sections{"buckets",      "phases",   "shares", "sizes",
                                                   "throughput",   "coverage", "trend",  "pairs",
                                                   "surroundings", "how-to"};

TEST(Page, HasEverySectionOfAUsualNightAndAWayToIt) {
  const Folder folder;
  const std::string page = to_html(samples::usual_night(folder.path()), folder.path());
  for (const std::string id : all_sections) {
    EXPECT_EQ(occurrences(page, "<section id=\"" + id + "\""), 1u) << id;
    EXPECT_EQ(occurrences(page, "<a href=\"#" + id + "\""), 1u) << id;
  }
  EXPECT_THAT(page.size(), Lt(1'000'000u));
}

TEST(Page, SaysTheVerdictFirstInWords) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const std::string page = markup(to_html(night, folder.path()));
  EXPECT_THAT(between(page, "<h1 id=\"verdict-title\">", "</h1>"), testing::Eq(headline(night)));
  EXPECT_LT(page.find("<h1"), page.find("<section id=\"buckets\""));
  const std::string verdict = between(page, "<section class=\"verdict", "</section>");
  EXPECT_THAT(verdict, AllOf(HasSubstr("exit code 3"), HasSubstr("<b>2</b> new"),
                             HasSubstr("<b>1</b> returned"), HasSubstr("<b>1</b> flaky")));
}

TEST(Page, ReadsWellWithoutScripts) {
  const Folder folder;
  const std::string page = markup(to_html(samples::usual_night(folder.path()), folder.path()));
  // What only works with scripts is hidden until they run.
  EXPECT_EQ(occurrences(page, "<canvas"), occurrences(page, "<div class=\"plot\" hidden>"));
  EXPECT_EQ(occurrences(page, "<select"), occurrences(page, "<label class=\"choice\" hidden>"));
  EXPECT_EQ(occurrences(page, "<button"), 1u);
  EXPECT_THAT(page, HasSubstr("id=\"theme\" hidden"));
  EXPECT_EQ(occurrences(page, "<article class=\"bucket"), 7u);
  EXPECT_THAT(page, HasSubstr("2107"));  // worst share by size, as a table
}

TEST(Page, NamesWhatWasNeverMet) {
  const Folder folder;
  const std::string page = to_html(samples::usual_night(folder.path()), folder.path());
  const std::string never = between(page, "Never met this night", "</ul>");
  EXPECT_THAT(never, AllOf(HasSubstr("rms_norm"), HasSubstr("tiny"), Not(HasSubstr("linear"))));
  EXPECT_THAT(never, Not(HasSubstr("softmax_grad"))) << "only derivatives have it";
}

TEST(Page, ShowsOfABucketItsCaseItsAccountAndItsPrograms) {
  const Folder folder;
  const std::string page = to_html(samples::usual_night(folder.path()), folder.path());
  const std::string card = between(page, "id=\"b1\"", "</article>");
  EXPECT_THAT(card, AllOf(HasSubstr("relu of underflow"), HasSubstr("failed again in 3 of 3 runs"),
                          HasSubstr("<svg class=\"net"), HasSubstr("ulpfuzz replay findings/"),
                          HasSubstr("in 5 nights so far"), HasSubstr("tanh 8: 19.1")));
  for (const char* title : {"C++", "CUDA", "PyTorch", "JAX", "NumPy", "Bug report"})
    EXPECT_THAT(card, HasSubstr(std::string("<h4 class=\"panel-name\">") + title));
  EXPECT_THAT(card, HasSubstr("std::vector&lt;float&gt;"));
  EXPECT_THAT(page, HasSubstr("Ann Example, until 2026-12-31"));
}

TEST(Page, LeavesOutWhatIsNotThere) {
  const Folder folder;
  Night night = samples::usual_night(folder.path());
  std::filesystem::remove_all(folder.path() / "findings");
  const std::string page = to_html(night, folder.path());
  EXPECT_THAT(page, Not(HasSubstr("<svg class=\"net")));
  EXPECT_THAT(page, HasSubstr("<article class=\"bucket"));
  EXPECT_THAT(page, HasSubstr("linear(12 -&gt; 7)+bias")) << "describe() of the smallest case";
}

TEST(Page, GivesChartsTheNumbersOfTheNight) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const auto data = data_of(to_html(night, folder.path()));
  ASSERT_EQ(data["pairs"].size(), night.pairs.size());
  for (std::size_t i = 0; i < night.pairs.size(); ++i) {
    EXPECT_EQ(data["pairs"][i]["subject"], night.pairs[i].subject);
    EXPECT_EQ(data["pairs"][i]["bins"], nlohmann::json(night.pairs[i].shares));
  }
  EXPECT_EQ(data["bins"][0], "0");
  const auto& trend = data["trend"];
  ASSERT_EQ(trend["nights"].size(), 61u);
  EXPECT_EQ(trend["nights"][60], night.id);
  EXPECT_EQ(trend["buckets"]["new"][60], 2);
  EXPECT_EQ(trend["buckets"]["new"][11], night.trend[11].buckets.at("new"));
  EXPECT_EQ(trend["share"][17], 19.1);
}

TEST(Page, CountsCasesPerSecondWithinPhasesOnly) {
  Night night = samples::quiet_night();
  for (const auto& [phase, seconds, cases] : {std::tuple{"random", 10.0, 100u},
                                              {"random", 20.0, 300u},
                                              {"search", 30.0, 50u},
                                              {"search", 35.0, 60u}}) {
    Sample s{phase, {}};
    s.line.seconds = seconds;
    s.line.cases = cases;
    s.line.share["p"]["sound"] = seconds == 20 ? std::numeric_limits<double>::infinity() : 0.5;
    night.over_time.push_back(s);
  }
  const auto time = data_of(to_html(night, {}))["time"];
  EXPECT_EQ(time["rate"], nlohmann::json::parse("[null, 20, null, 2]"));
  EXPECT_EQ(time["shares"]["p"]["sound"], nlohmann::json::parse("[0.5, \"inf\", 0.5, 0.5]"));
  EXPECT_EQ(time["phases"], nlohmann::json::parse(R"([{"name": "random", "from": 0, "to": 20},
                                                      {"name": "search", "from": 20, "to": 35}])"));
}

/// Of turns that are over before a line of theirs is due.
TEST(Page, HasARateOfEachShortTurnAndNoPointOfItsBeginning) {
  Night night = samples::quiet_night();
  for (const auto& [phase, seconds, cases, share] : {std::tuple{"random", 10.0, 0u, false},
                                                     {"random", 14.0, 400u, true},
                                                     {"search", 15.0, 0u, false},
                                                     {"search", 25.0, 50u, true},
                                                     {"random", 26.0, 400u, false},
                                                     {"random", 30.0, 440u, true},
                                                     {"random", 36.0, 440u, false},
                                                     {"random", 38.0, 500u, true}}) {
    Sample s{phase, {}};
    s.line.seconds = seconds;
    s.line.cases = cases;
    s.line.share["p"];
    if (share) s.line.share["p"]["sound"] = 0.5;
    night.over_time.push_back(s);
  }
  const auto time = data_of(to_html(night, {}))["time"];
  EXPECT_EQ(time["seconds"], nlohmann::json::parse("[14, 25, 30, 38]"));
  EXPECT_EQ(time["from"], nlohmann::json::parse("[10, 15, 26, 36]"));
  EXPECT_EQ(time["rate"], nlohmann::json::parse("[100, 5, 10, 30]"));
  EXPECT_EQ(time["shares"]["p"]["sound"], nlohmann::json::parse("[0.5, 0.5, 0.5, 0.5]"));
  EXPECT_EQ(time["phases"], nlohmann::json::parse(R"([{"name": "random", "from": 10, "to": 14},
                                                      {"name": "search", "from": 15, "to": 25},
                                                      {"name": "random", "from": 26, "to": 38}])"));
}

TEST(Page, KeepsTheLargestShareOfSamplesThatItJoins) {
  Night night = samples::quiet_night();
  for (int i = 0; i < 5000; ++i) {
    Sample s{"random", {}};
    s.line.seconds = i;
    s.line.cases = 7u * static_cast<unsigned>(i);
    s.line.share["p"]["sound"] = i == 3333 ? 0.75 : 0.25;
    night.over_time.push_back(s);
  }
  const auto time = data_of(to_html(night, {}))["time"];
  EXPECT_LE(time["seconds"].size(), 240u);
  EXPECT_EQ(time["seconds"].back(), 4999);
  EXPECT_EQ(time["rate"][100], 7);
  std::vector<double> shares = time["shares"]["p"]["sound"];
  EXPECT_EQ(std::count(shares.begin(), shares.end(), 0.75), 1);
}

TEST(Page, OfManyBucketsShowsTheFirstInFullAndAllByName) {
  const Folder folder;
  const Night night = samples::crowded_night(folder.path());
  const std::string page = to_html(night, folder.path());
  const std::size_t cards = occurrences(page, "<article class=\"bucket");
  EXPECT_THAT(cards, AllOf(testing::Ge(20u), Lt(100u)));
  EXPECT_EQ(occurrences(page, "</p>\n<details><summary>"), cards - 5) << "folded";
  EXPECT_EQ(occurrences(between(page, "aria-label=\"More buckets\"", "</table>"), "<tr><td>"),
            500 - cards);
  for (const NightBucket& b : night.buckets) EXPECT_THAT(page, HasSubstr(b.bucket.id));
  EXPECT_THAT(page.size(), Lt(1'100'000u));
}

TEST(Page, OfAnEmptyNightIsWhole) {
  const std::string page = to_html(samples::empty_night(), {});
  EXPECT_THAT(page, AllOf(HasSubstr("No failure was found."), HasSubstr("</html>")));
  EXPECT_THAT(page, HasSubstr("first night"));
  EXPECT_EQ(occurrences(page, "<section id=\"pairs\""), 0u);
}

TEST(Page, SaysThatANightWasCutOrIsStillRunning) {
  const std::string cut = markup(to_html(samples::cut_night(), {}));
  EXPECT_THAT(cut, AllOf(HasSubstr("No space left on device"), HasSubstr("Stopped by a signal"),
                         HasSubstr("class=\"verdict warn\"")));
  const std::string running = markup(to_html(samples::running_night(), {}));
  EXPECT_THAT(running, AllOf(HasSubstr("Not over"), HasSubstr("class=\"verdict run\""),
                             Not(HasSubstr("exit code 0"))));
}

}  // namespace
}  // namespace ulpfuzz::report
