#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/runner/campaign_result.hpp"

namespace ulpfuzz::report {

/// What a bucket is to the people on duty.
enum class BucketState : std::uint8_t {
  fresh,     ///< "new": never seen before
  open,      ///< seen in an earlier night, and nobody has put it on the list of known ones
  known,     ///< on that list, and its date is not past
  returned,  ///< was fixed, or is a regression on file, and fails again
  fixed,     ///< seen in an earlier night; its case passes now
  flaky      ///< never failed again when it was run again
};
inline constexpr std::size_t bucket_states = 6;
std::string_view name(BucketState state);

struct NightBucket {
  Bucket bucket;  ///< its case_file relative to the folder of the night
  BucketState state = BucketState::fresh;
  std::string found_in;               ///< phase: "random", "search", "libFuzzer", "regressions"
  std::string first_seen;             ///< id of the night
  std::uint64_t nights = 1;           ///< in which it was seen, this one among them
  std::string owner, until, comment;  ///< from the list of known ones; `until` 2026-12-31
  std::string minimal;                ///< describe() of its smallest case
  std::string boundary;               ///< where failing turns into passing, in sentences
};

/// What a night did in one of its parts.
struct Phase {
  enum class State : std::uint8_t { done, cut, skipped, failed, not_begun };
  std::string name;  ///< "self-check", "regressions", "replay", "random", "search", ...
  State state = State::not_begun;
  double budget = 0, seconds = 0;
  std::uint64_t cases = 0;
  std::uint64_t buckets = 0;  ///< that it found first
  std::string note;           ///< why it was skipped, what it came to
};
std::string_view name(Phase::State state);

/// A line of stats.jsonl, with the phase it is of.
struct Sample {
  std::string phase;
  StatisticsLine line;  ///< its seconds: since the night began
};

/// One line of history: what a chart over nights needs.
struct EarlierNight {
  std::string id, date;  ///< date: 2026-11-30T02:00:00Z
  int exit_code = 0;
  std::uint64_t cases = 0;
  double cases_per_second = 0, share_max = 0, stability = 0;
  std::map<std::string, std::uint64_t> buckets;  ///< by name(BucketState)
};

/// All that is known of a night: what summary.json holds and every report is made from.
struct Night {
  std::string id;    ///< "20261130T020000Z-7", with "-shard2of4" where it is one of several
  std::string date;  ///< when it began, UTC, ISO 8601
  std::uint64_t seed = 0;
  std::map<std::string, std::string> options;  ///< that matter for reading the report
  double seconds = 0;
  std::uint64_t cases = 0, elements = 0;
  std::map<std::string, std::uint64_t> verdicts;  ///< pass, fail, vacuous, skip
  std::vector<Phase> phases;                      ///< in order
  std::vector<NightBucket> buckets;  ///< what wants attention first: returned, new, open, ...
  /// Case file of a regression that was replayed -> "pass", "skip" (nothing judged it here), or the
  /// id of the bucket that it fails with.
  std::map<std::string, std::string> regressions;
  std::vector<PairCounts> pairs;  ///< property and subject
  Statistics statistics;
  std::vector<Sample> over_time;
  std::map<std::string, std::uint64_t> elements_by_tier, vacuous_reasons, skip_reasons;
  double stability = 1;  ///< part of the replayed corpus that showed the same features twice
  std::uint64_t corpus = 0, corpus_added = 0;  ///< distilled cases; of them new this night
  std::vector<EarlierNight> trend;             ///< oldest first, without this one
  std::map<std::string, std::string> unavailable, stopped;
  std::vector<std::string> errors;
  Environment environment;
  std::vector<std::string> shards;  ///< ids of the nights that were merged into this one
  bool interrupted = false;
  bool running = false;  ///< not over yet, or killed
  int exit_code = 0;
};

/// A night's own line of history; the share is that of honest subjects.
EarlierNight as_earlier(const Night& night);
/// What a night lacks for a verdict, in a sentence; or empty: then enough was executed.
std::string too_little(const Night& night);
/// One sentence, first in every report: "2 new failures; 1 known is quiet", "nothing new".
std::string headline(const Night& night);

}  // namespace ulpfuzz::report
