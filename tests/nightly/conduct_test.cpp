#include "night_process.hpp"
#include "short_night.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;

struct Conduct {
  const char* subject;
  const char* failure;  ///< class
  std::uint64_t cases = 30;
  double timeout = 3;
};
void PrintTo(const Conduct& c, std::ostream* out) { *out << c.subject; }

class NightlyConduct : public testing::TestWithParam<Conduct> {};

/// What a subject does to its process is a bucket, and the night goes on.
TEST_P(NightlyConduct, IsABucketAndTheNightGoesOn) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops", GetParam().subject};
  o.properties = {"batched_vs_sliced"};
  o.case_timeout = GetParam().timeout;
  o.memory_limit = 128;
  o.cases = GetParam().cases;
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 1) << (night.errors.empty() ? "" : night.errors.front());
  ASSERT_FALSE(night.buckets.empty());
  for (const report::NightBucket& b : night.buckets) {
    EXPECT_EQ(b.bucket.subject, GetParam().subject);
    EXPECT_TRUE(fs::is_regular_file(o.out / b.bucket.case_file)) << b.bucket.case_file;
  }
  const bool right = std::any_of(night.buckets.begin(), night.buckets.end(), [](const auto& b) {
    return b.bucket.failure_class == GetParam().failure && b.state == report::BucketState::fresh &&
           b.bucket.reproduced > 0;
  });
  EXPECT_TRUE(right) << night.buckets.front().bucket.id;
  for (const PairCounts& p : night.pairs)
    EXPECT_TRUE(p.subject != "loops" || p.pass + p.vacuous + p.skip == p.cases);
  EXPECT_EQ(phase_of(night, "search").state, report::Phase::State::done);
  expect_reports(o.out);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, NightlyConduct,
    testing::Values(Conduct{"fault/crashes_above_batch", "crash"},
                    Conduct{"fault/hangs_above_batch", "hang", 6, 0.5},
                    Conduct{"fault/leaves_ftz_on", "fp_environment"},
                    Conduct{"fault/overruns", "out_of_bounds"},
                    Conduct{"fault/throws_above_batch", "exception"},
                    Conduct{"fault/allocates_above_batch", "out_of_memory", 8}),
    [](const auto& p) { return std::string(p.param.subject).substr(sizeof("fault/") - 1); });

}  // namespace
}  // namespace ulpfuzz
