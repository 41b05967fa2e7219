#include <algorithm>

#include "planted.hpp"
#include "short_night.hpp"
#include "ulpfuzz/runner/campaign_result.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;

/// Calls itself one of the good ones, and knows only the first product of a sum.
class BadLoops final : public KernelSubject {
 public:
  std::string_view name() const override { return "loops"; }

 protected:
  void linear(const float* x, const float* w, const float*, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < n; ++i) y[r * n + i] = x[r * k] * w[i * k];
  }
};

Registry faults_and(std::unique_ptr<const Subject> subject) {
  Registry registry = planted_faults();
  registry.add(std::move(subject));
  return registry;
}

TEST(SelfCheck, EndsTheNightWithoutVerdictsWhenAGoodSubjectFails) {
  const Scratch scratch;
  const report::Night night =
      nightly::run_nightly(short_night(scratch), faults_and(std::make_unique<BadLoops>()));
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_TRUE(night.buckets.empty());
  EXPECT_EQ(night.cases, 0U);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("loops, a good subject, fails"), std::string::npos)
      << night.errors.front();
  EXPECT_EQ(phase_of(night, "self-check").state, report::Phase::State::failed);
  EXPECT_EQ(phase_of(night, "random").state, report::Phase::State::skipped);
  expect_reports(scratch / "night");
}

TEST(SelfCheck, EndsTheNightWhenAPlantedFaultIsNotThere) {
  const Scratch scratch;
  const report::Night night = nightly::run_nightly(short_night(scratch), builtin_subjects());
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("fault/"), std::string::npos);
}

// A rarer one would now and then not be met, and a night end with 4 for nothing.
TEST(SelfCheck, PlantsFaultsThatOneInEightCasesOfAPropertyShows) {
  for (const nightly::Planted& fault : nightly::planted) {
    const Scratch scratch;
    CampaignOptions o;
    o.subjects = {fault.subject};
    o.cases = 400;
    o.seed = 3;
    o.shrink_evaluations = 0;
    o.out = scratch / "out";
    const CampaignResult r = run_campaign(o, planted_faults());
    double most = 0;
    for (const PairCounts& p : r.pairs)
      most = std::max(most, static_cast<double>(p.fail) / static_cast<double>(p.cases));
    EXPECT_GE(most, 1.0 / 8) << fault.subject;
  }
}

/// Answers to the name of a fault, and has none.
class Cured final : public KernelSubject {
 public:
  std::string_view name() const override { return "fault/tf32_above_8"; }
};

TEST(SelfCheck, EndsTheNightWhenAFaultIsNotCaught) {
  const Scratch scratch;
  Registry registry = builtin_subjects();
  registry.add(std::make_unique<Cured>());
  for (const char* name : {"fault/dropped_tail", "fault/neighbour_row", "fault/gradient_in_fp16",
                           "fault/unwritten_tail", "fault/crashes_above_batch"}) {
    class Alias final : public Subject {
     public:
      Alias(const char* name, Registry all) : name_(name), all_(std::move(all)) {}
      std::string_view name() const override { return name_; }
      Arithmetic arithmetic() const override { return it().arithmetic(); }
      bool deterministic() const override { return it().deterministic(); }
      std::optional<std::string> unsupported(const Network& n) const override {
        return it().unsupported(n);
      }
      void evaluate(const Evaluation& e) const override { it().evaluate(e); }

     private:
      const Subject& it() const { return *all_.find(name_); }
      std::string name_;
      Registry all_;
    };
    registry.add(std::make_unique<Alias>(name, planted_faults()));
  }
  const report::Night night = nightly::run_nightly(short_night(scratch), registry);
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("fault/tf32_above_8, made wrong on purpose, was not caught"),
            std::string::npos)
      << night.errors.front();
}

TEST(SelfCheck, LeavesNothingOfItsFaultsInTheNight) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 0) << (night.errors.empty() ? "" : night.errors.front());
  EXPECT_EQ(phase_of(night, "self-check").state, report::Phase::State::done);
  EXPECT_GT(phase_of(night, "self-check").cases, 60U);
  EXPECT_EQ(night.cases, 2 * o.cases);
  for (const PairCounts& p : night.pairs) EXPECT_EQ(p.subject, "loops");
  EXPECT_FALSE(std::filesystem::exists(scratch / "night" / "findings"));
}

}  // namespace
}  // namespace ulpfuzz
