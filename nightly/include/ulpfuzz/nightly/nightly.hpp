#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/report/night.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::nightly {

/// What `ulpfuzz nightly` does. Layout of its folders: docs/nightly.md.
struct NightlyOptions {
  std::vector<std::string> subjects, properties;  ///< globs, as those of a campaign
  std::string claim;
  std::uint64_t seed = 0;
  double seconds = 0;  ///< for all phases together; 0 only with `cases`
  /// So many in the random phase and in the search phase each, instead of a time: a short night
  /// whose results depend on no clock.
  std::uint64_t cases = 0;
  unsigned jobs = 1;
  unsigned shard = 0, shards = 1;  ///< this one of so many: other cases, same corpus
  std::filesystem::path out;
  std::filesystem::path corpus;  ///< lives from night to night; made where it is not there
  /// Folders of case files: what must pass, and what search begins with; beside those in `corpus`.
  std::vector<std::filesystem::path> regressions, seeds;
  std::filesystem::path known;    ///< list of known buckets; empty: known.json in `corpus`
  std::filesystem::path fuzzers;  ///< folder of libFuzzer targets; empty: no such phase
  bool resume = false;            ///< go on in `out`, where a night was killed or stopped
  /// Distilled cases and the state of buckets are left in `corpus` for the next night. Not by one
  /// of several shards: merge() does it for all.
  bool publish = true;
  double case_timeout = 20;
  std::uint64_t memory_limit = 4096;  ///< megabytes a process
  generators::Limits limits;
  bool progress = false;
  std::function<void(const std::string&)> report;  ///< a line for people, now
};

/// Runs the phases, each within its budget: self-check (good subjects silent, planted faults
/// caught; else exit code 4 and no verdicts), regressions, replay of the distilled corpus, random,
/// search, libFuzzer, shrink (a quarter of the time at least), distil, report. What a phase came to
/// is on disk before the next begins; SIGTERM, SIGINT and SIGHUP end the night within 10 seconds
/// with all reports written. `subjects`: honest ones and planted faults. Throws
/// std::invalid_argument for misuse, as for a night to go on with that was begun with other
/// options, and FileError for folders, lists and a ledger that cannot be used: then nothing has
/// begun.
report::Night run_nightly(const NightlyOptions& options, const Registry& subjects);

/// What --resume takes from the night in a folder where it is not given. std::invalid_argument
/// where there is no night, FileError where it cannot be read.
struct BegunNight {
  std::uint64_t seed = 0;
  std::filesystem::path fuzzers;  ///< empty: it had none
};
BegunNight begun_night(const std::filesystem::path& out);

/// What a night means to those who started it, the first that applies: 4 infrastructure (errors), 3
/// a bucket has returned, 1 a new or open one, 6 only flaky ones, 5 too little was executed, 0
/// nothing new: known ones are quiet.
int exit_code(const report::Night& night);

/// Unites the nights in `folders` (of shards, or merged ones) in `out`: findings, corpus,
/// statistics and reports. The result depends on the set of nights alone: not on their order, nor
/// on what was merged before. With `corpus`, also leaves there what a night would publish. Throws
/// FileError for a folder without a night, naming it.
struct MergeOptions {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path out;
  std::filesystem::path corpus;  ///< empty: publish nothing
  std::filesystem::path known;   ///< as in NightlyOptions
};
report::Night merge(const MergeOptions& options);

}  // namespace ulpfuzz::nightly
