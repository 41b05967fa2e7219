#include "short_night.hpp"
#include "ulpfuzz/report/reports.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;

/// What may differ between two nights of one seed, made equal.
report::Night without_times(report::Night night, const std::filesystem::path& out) {
  const std::string folder = out.string();
  const auto cut = [&](std::string& text) {
    for (auto at = text.find(folder); at != text.npos; at = text.find(folder))
      text.erase(at, folder.size());
  };
  night.id = night.date = "";
  night.seconds = 0;
  for (report::Phase& p : night.phases) {
    p.seconds = 0;
    cut(p.note);
  }
  for (report::NightBucket& b : night.buckets) b.first_seen.clear();
  for (report::Sample& s : night.over_time) s.line.seconds = 0;
  return night;
}

report::Night one_night(const Scratch& scratch, const std::string& name, unsigned shard) {
  nightly::NightlyOptions o = short_night(scratch, name);
  o.corpus = scratch / (name + "-corpus");
  o.subjects = {"loops", "eigen", "fault/tf32_above_8"};
  o.cases = 60;
  o.properties.clear();
  o.shard = shard;
  o.shards = 2;
  return without_times(nightly::run_nightly(o, usual_subjects()), o.out);
}

TEST(NightlySame, SeedAndShardGiveTheSameNightAndOthersOtherCases) {
  const Scratch scratch;
  const report::Night once = one_night(scratch, "once", 1);
  const report::Night twice = one_night(scratch, "twice", 1);
  EXPECT_EQ(once.exit_code, 1);
  EXPECT_EQ(report::to_json(once), report::to_json(twice));
  const report::Night other = one_night(scratch, "other", 0);
  EXPECT_EQ(other.cases, once.cases);
  EXPECT_NE(other.elements, once.elements);
  // Not one of several shards publishes: merge does it for all.
  EXPECT_FALSE(std::filesystem::exists(scratch / "once-corpus" / "ledger.json"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "once-corpus" / "distilled"));
}

}  // namespace
}  // namespace ulpfuzz
