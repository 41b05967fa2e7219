#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "../runner/trial_subjects.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {

/// A night of a second that depends on no clock.
inline nightly::NightlyOptions short_night(const mutants::Scratch& scratch,
                                           const std::string& name = "night") {
  nightly::NightlyOptions o;
  o.cases = 40;
  o.properties = {"batched_vs_sliced"};
  o.seed = 11;
  o.out = scratch / name;
  o.corpus = scratch / "corpus";
  o.case_timeout = 2;
  o.memory_limit = 2048;
  return o;
}

inline Registry usual_subjects() {
  Registry registry = builtin_subjects();
  registry.merge(planted_faults());
  return registry;
}

/// The usual subjects and one more.
inline Registry with(std::unique_ptr<const Subject> subject) {
  Registry registry = usual_subjects();
  registry.add(std::move(subject));
  return registry;
}

inline const report::NightBucket* bucket_with(const report::Night& night, std::string_view part) {
  for (const report::NightBucket& b : night.buckets)
    if (b.bucket.id.find(part) != std::string::npos) return &b;
  return nullptr;
}

inline const report::Phase& phase_of(const report::Night& night, const std::string& name) {
  for (const report::Phase& p : night.phases)
    if (p.name == name) return p;
  throw std::out_of_range(name);
}

/// All reports of a night, which are there whatever happened.
inline void expect_reports(const std::filesystem::path& out) {
  for (const char* name : {"summary.json", "summary.txt", "report.md", "junit.xml", "results.sarif",
                           "index.html", "stats.jsonl", "night.json"})
    EXPECT_TRUE(std::filesystem::is_regular_file(out / name)) << name;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out))
    EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
}

}  // namespace ulpfuzz
