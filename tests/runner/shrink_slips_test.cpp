#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "slips.hpp"
#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/dissect_guarded.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/replay.hpp"

/// What is met while a failure is shrunk, and what is looked for afterwards.
namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using testing::HasSubstr;

/// Off by one where a row has many numbers; NaN where it has a single one.
class TwoFaced final : public KernelSubject {
 public:
  std::string_view name() const override { return "two_faced"; }

 protected:
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    KernelSubject::linear(x, w, bias, rows, k, n, y);
    for (std::size_t i = 0; i < rows * n; ++i)
      y[i] = k == 1 ? std::numeric_limits<float>::quiet_NaN() : k > 4 ? y[i] + 1000 : y[i];
  }
};

/// A sum too large from five rows on, and the end of the process from seven.
class Explosive final : public KernelSubject {
 public:
  std::string_view name() const override { return "explosive"; }

 protected:
  void begin(const Evaluation& e) const override {
    if (e.batch >= 7) raise(SIGSEGV);
  }
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    KernelSubject::linear(x, w, bias, rows, k, n, y);
    if (rows > 4)
      for (std::size_t i = 0; i < rows * n; ++i) y[i] += 1000;
  }
};

/// One linear op on `batch` rows of `inner` numbers, cut into single rows.
Case linear_case(std::uint32_t batch, std::uint32_t inner) {
  Case c;
  c.network.output(c.network.linear(c.network.input(inner), c.network.parameter(3, inner)));
  Tensor weight(3, inner), x(batch, inner);
  for (std::size_t i = 0; i < weight.data.size(); ++i)
    weight.data[i] = static_cast<float>(i % 7) / 4 - 1;
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = static_cast<float>(i % 5) / 8 - 0.25f;
  c.parameters = {weight};
  c.inputs = {x};
  for (std::uint32_t r = 0; r < batch; ++r) c.split.push_back({{r}, 0});
  return c;
}

CampaignOptions one_case(const Scratch& scratch, const Case& c) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.given = {{"given.case.json", {c, {}}}};
  o.out = scratch / "out";
  return o;
}

TEST(Slips, AreTheSimplestFewOfEachBucket) {
  Slips slips(2);
  Verdict v;
  for (const std::uint32_t batch : {5u, 2u, 9u, 1u, 4u}) slips.add("a", linear_case(batch, 3), v);
  slips.add("b", linear_case(7, 3), v);
  ASSERT_EQ(slips.buckets().size(), 2u);
  const auto& a = slips.buckets().at("a");
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a[0].found.value.batch(), 1u);
  EXPECT_EQ(a[1].found.value.batch(), 2u);
}

TEST(Slips, AreToldOfAndNeverTaken) {
  const TwoFaced subject;
  GuardOptions options;
  std::vector<Verdict> slipped;
  options.slipped = [&](const Case&, const Verdict& v) { slipped.push_back(v); };
  const ShrinkResult r =
      shrink_guarded(linear_case(3, 9), properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.verdict.failure, FailureClass::beyond_bound);
  ASSERT_FALSE(slipped.empty());
  EXPECT_GT(r.slips, 0u);
  for (const Verdict& v : slipped) EXPECT_EQ(v.failure, FailureClass::nonfinite_mismatch);
  EXPECT_EQ(r.value.inputs[0].cols, 5u);
}

TEST(Slips, BecomeFindingsOfTheirOwnInACampaign) {
  const Scratch scratch;
  const Registry subjects = only(std::make_unique<TwoFaced>());
  const CampaignResult r = run_campaign(one_case(scratch, linear_case(3, 9)), subjects);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.verdicts.at("fail"), 1u) << "a slip is no case of the campaign";
  ASSERT_EQ(r.buckets.size(), 2u);
  const Bucket& found = r.buckets[r.buckets[0].met_in.empty() ? 0 : 1];
  const Bucket& slip = r.buckets[r.buckets[0].met_in.empty() ? 1 : 0];
  EXPECT_EQ(found.failure_class, "beyond_bound");
  EXPECT_EQ(slip.failure_class, "nonfinite_mismatch");
  EXPECT_EQ(slip.met_in, found.id);
  EXPECT_EQ(slip.count, 1u);
  EXPECT_EQ(slip.reproduced, slip.tried);
  EXPECT_GT(slip.tried, 0u);
  const CaseFile minimal = read_case(slip.case_file);
  EXPECT_THAT(minimal.notes.at("origin"), HasSubstr("met while " + found.id));
  EXPECT_EQ(exit_code({replay(slip.case_file, {}, subjects)}), 1);
  EXPECT_THAT(content(scratch / "out/summary.txt"), HasSubstr("met while " + found.id));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "out"))
    EXPECT_NE(entry.path().extension(), ".shrink-journal") << entry.path();
}

TEST(Campaign, AddsBoundaryAndWhatMattersToTheMinimalAccount) {
  const Scratch scratch;
  const Registry subjects = only(std::make_unique<TwoFaced>());
  const CampaignResult r = run_campaign(one_case(scratch, linear_case(3, 9)), subjects);
  for (const Bucket& b : r.buckets) {
    if (b.failure_class != "beyond_bound") continue;
    const std::string account = content(b.case_file.parent_path() / "minimal.txt");
    EXPECT_THAT(account, HasSubstr("boundary:"));
    EXPECT_THAT(account, HasSubstr("share by op"));
    EXPECT_THAT(account, HasSubstr("ulpfuzz replay " + b.case_file.string()));
    const auto notes = read_case(b.case_file).notes;
    ASSERT_EQ(notes.count("boundary"), 1u);
    EXPECT_THAT(account, HasSubstr(notes.at("boundary").substr(0, notes.at("boundary").find(';'))));
  }
}

TEST(DissectGuarded, SurvivesWhatEndsTheProcess) {
  const Explosive subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = linear_case(5, 2);
  const Verdict v = judge_isolated(property, c, subject, {});
  ASSERT_EQ(v.failure, FailureClass::beyond_bound);
  const Findings found = dissect_guarded({c, v}, std::nullopt, property, subject);
  EXPECT_EQ(found.unfinished, "");
  ASSERT_FALSE(found.boundaries.empty());
  EXPECT_FALSE(found.dissection.components.empty());
  bool batch = false;
  for (const Boundary& b : found.boundaries) batch = batch || (b.fails == "5" && b.passes == "4");
  EXPECT_TRUE(batch) << found.boundary_line();
}

TEST(DissectGuarded, CarriesEverythingThroughTheChild) {
  const TwoFaced subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = linear_case(1, 5);
  CheckContext context;
  const Judge here = [&](const Case& x) { return judge(property, x, subject, {}, context); };
  const Shrunk failing{c, here(c)};
  const Neighbour neighbour{"nothing", linear_case(1, 4), {}};
  const Findings found = dissect_guarded(failing, neighbour, property, subject);
  const auto expected = boundaries(failing, here, subject);
  ASSERT_EQ(found.boundaries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found.boundaries[i].what, expected[i].what);
    EXPECT_EQ(found.boundaries[i].text, expected[i].text);
    EXPECT_EQ(found.boundaries[i].fails, expected[i].fails);
    EXPECT_EQ(found.boundaries[i].passes, expected[i].passes);
  }
  EXPECT_EQ(to_text(found.dissection), to_text(dissect(failing, neighbour, here)));
}

// The sizes in the text are those of the neighbour that is named beside them.
TEST(DissectGuarded, TellsOfTheNeighbourThatItFound) {
  const TwoFaced subject;
  const Property& property = properties::batched_vs_sliced;
  const Case c = linear_case(1, 5);
  CheckContext context;
  const Judge here = [&](const Case& x) { return judge(property, x, subject, {}, context); };
  const Shrunk failing{c, here(c)};
  const Neighbour far{"three less", linear_case(1, 2), here(linear_case(1, 2))};
  ASSERT_EQ(far.verdict.outcome, Outcome::pass);
  for (const auto& known : {std::optional<Neighbour>{}, std::optional(far)}) {
    const Dissection d = dissect_guarded(failing, known, property, subject).dissection;
    ASSERT_TRUE(d.neighbour);
    EXPECT_EQ(d.neighbour->value.inputs[0].cols, 4u);
    EXPECT_EQ(here(d.neighbour->value).outcome, Outcome::pass);
    EXPECT_THAT(d.other_sizes, HasSubstr("4 instead of 5"));
    EXPECT_EQ(to_text(d), to_text(dissect(failing, known, here)));
  }
}

TEST(DissectGuarded, StopsWhenToldTo) {
  const Explosive subject;
  const Case c = linear_case(5, 2);
  const Verdict v = judge_isolated(properties::batched_vs_sliced, c, subject, {});
  DissectGuard options;
  options.cancelled = [] { return true; };
  EXPECT_EQ(dissect_guarded({c, v}, std::nullopt, properties::batched_vs_sliced, subject, options)
                .unfinished,
            "interrupted");
}

}  // namespace
}  // namespace ulpfuzz
