#include <fstream>

#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::DropsLast;
using mutants::Scratch;
using report::BucketState;

/// Wrong as long as a file says so: what a library is before it is mended.
class Mendable final : public KernelSubject {
 public:
  explicit Mendable(fs::path broken) : broken_(std::move(broken)) {}
  std::string_view name() const override { return "mendable"; }

 protected:
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    KernelSubject::linear(x, w, bias, rows, k, n, y);
    if (rows < 2 || !fs::exists(broken_)) return;
    for (std::size_t i = 0; i < rows * n; ++i) y[i] *= 2;
  }

 private:
  fs::path broken_;
};

/// Night after night on one corpus.
class StateNights {
 public:
  StateNights() : subjects_(with(std::make_unique<Mendable>(scratch_ / "broken"))) { breaks(); }

  void breaks() { std::ofstream(scratch_ / "broken") << "yes"; }
  void mends() { fs::remove(scratch_ / "broken"); }
  void knows(const std::string& bucket, const std::string& until) {
    fs::create_directories(scratch_ / "corpus");
    std::ofstream(scratch_ / "corpus" / "known.json")
        << fmt::format(R"({{"schema": 1, "known": [{{"bucket": "{}", "owner": "ann",
                           "until": "{}", "comment": "a test"}}]}})",
                       bucket, until);
  }
  report::Night night() {
    nightly::NightlyOptions o = short_night(scratch_, fmt::format("night-{}", ++count_));
    o.subjects = {"mendable"};
    o.cases = 16;
    o.seed = count_;
    return nightly::run_nightly(o, subjects_);
  }

 private:
  Scratch scratch_;
  Registry subjects_;
  std::uint64_t count_ = 0;
};

std::size_t count(const report::Night& night, BucketState state) {
  return static_cast<std::size_t>(
      std::count_if(night.buckets.begin(), night.buckets.end(),
                    [state](const report::NightBucket& b) { return b.state == state; }));
}

TEST(NightlyStates, TellNewFromOpenFromFixedFromReturned) {
  StateNights nights;
  const report::Night first = nights.night();
  EXPECT_EQ(first.exit_code, 1);
  ASSERT_GT(count(first, BucketState::fresh), 0U);
  EXPECT_EQ(count(first, BucketState::fresh), first.buckets.size());

  const report::Night second = nights.night();
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_GT(count(second, BucketState::open), 0U);
  for (const report::NightBucket& b : first.buckets) {
    const report::NightBucket* again = bucket_with(second, b.bucket.id);
    ASSERT_NE(again, nullptr) << b.bucket.id;
    EXPECT_EQ(again->first_seen, first.id);
    EXPECT_EQ(again->nights, 2U);
    EXPECT_EQ(again->found_in, "kept cases");
  }

  nights.mends();
  const report::Night third = nights.night();
  EXPECT_EQ(third.exit_code, 0);
  EXPECT_GT(count(third, BucketState::fixed), 0U);
  EXPECT_EQ(count(third, BucketState::fixed), third.buckets.size());

  nights.breaks();
  const report::Night fourth = nights.night();
  EXPECT_EQ(fourth.exit_code, 3);
  EXPECT_GT(count(fourth, BucketState::returned), 0U);
}

TEST(NightlyStates, KeepAKnownBucketQuietUntilItsDate) {
  StateNights nights;
  nights.knows("*mendable*", "2999-12-31");
  const report::Night quiet = nights.night();
  EXPECT_EQ(quiet.exit_code, 0);
  ASSERT_GT(count(quiet, BucketState::known), 0U);
  EXPECT_EQ(quiet.buckets.front().owner, "ann");

  nights.knows("*mendable*", "2001-12-31");
  EXPECT_EQ(nights.night().exit_code, 1);
}

/// Fails once in the whole night, wherever that is.
class FailsOnce final : public KernelSubject {
 public:
  explicit FailsOnce(fs::path done) : done_(std::move(done)) {}
  std::string_view name() const override { return "fails_once"; }

 protected:
  void begin(const Evaluation& e) const override {
    if (e.batch < 3 || fs::exists(done_)) return;
    std::ofstream(done_) << "yes";
    throw std::runtime_error("the moon was full");
  }

 private:
  fs::path done_;
};

TEST(NightlyStates, QuarantineWhatNeverFailsAgain) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"fails_once"};
  const report::Night night =
      nightly::run_nightly(o, with(std::make_unique<FailsOnce>(scratch / "done")));
  EXPECT_EQ(night.exit_code, 6);
  ASSERT_EQ(night.buckets.size(), 1U);
  EXPECT_EQ(night.buckets.front().state, BucketState::flaky);
  EXPECT_EQ(night.buckets.front().bucket.reproduced, 0U);
  const fs::path file = o.out / night.buckets.front().bucket.case_file;
  EXPECT_EQ(file.parent_path().parent_path().filename(), "findings-flaky");
  EXPECT_TRUE(fs::is_regular_file(file)) << file;
  EXPECT_FALSE(fs::exists(o.corpus / "failing"));
}

TEST(NightlyStates, SayWhenTooLittleWasExecuted) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"refuses"};
  const report::Night night = nightly::run_nightly(o, with(std::make_unique<mutants::Refuses>()));
  EXPECT_EQ(night.exit_code, 5);
  EXPECT_EQ(night.verdicts.at("skip"), night.cases);
}

TEST(NightlyStates, CallARegressionOnFileReturned) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch, "before");
  o.subjects = {"drops_last"};
  o.cases = 16;
  const Registry subjects = with(std::make_unique<DropsLast>());
  const report::Night before = nightly::run_nightly(o, subjects);
  ASSERT_FALSE(before.buckets.empty());
  CaseFile file = read_case(o.out / before.buckets.front().bucket.case_file);
  file.notes["expected"] = "pass";
  fs::create_directories(scratch / "regressions");
  write_case(scratch / "regressions" / "a.case.json", file);

  nightly::NightlyOptions next = short_night(scratch, "after");
  next.subjects = o.subjects;
  next.cases = o.cases;
  next.corpus = scratch / "other-corpus";
  next.regressions = {scratch / "regressions"};
  const report::Night after = nightly::run_nightly(next, subjects);
  EXPECT_EQ(after.exit_code, 3);
  EXPECT_EQ(after.buckets.front().state, BucketState::returned);
  EXPECT_EQ(after.buckets.front().found_in, "regressions");
  EXPECT_EQ(phase_of(after, "regressions").cases, 1U);
}

}  // namespace
}  // namespace ulpfuzz
