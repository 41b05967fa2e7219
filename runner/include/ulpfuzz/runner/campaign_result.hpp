#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/runner/environment.hpp"
#include "ulpfuzz/runner/statistics.hpp"

namespace ulpfuzz {

struct Bucket {
  std::string id, property, subject, failure_class, cause, first_op, reason;
  std::uint64_t count = 0;
  double share = 0;
  std::filesystem::path case_file;  ///< smallest case; empty if nothing could be written
  std::uint64_t index = 0;          ///< case of the seed that failed first
  /// Bucket in whose shrinking it was met, if no case of the campaign shows it.
  std::string met_in;
  unsigned reproduced = 0;  ///< so many of `tried` runs of a finding failed again
  unsigned tried = 0;
  bool flaky = false;  ///< run again, never failed again: the files are under findings-flaky/
  std::vector<std::string> also;  ///< folders of buckets that were merged with this one

  /// Is that its id, or of one that was merged with it?
  bool goes_by(const std::string& name) const;
};

/// Counts of one property on one subject.
struct PairCounts {
  std::string property, subject;
  std::uint64_t cases = 0, pass = 0, fail = 0, vacuous = 0, skip = 0, elements = 0;
  double share_max = 0;
  std::array<std::uint64_t, share_bins> shares{};  ///< judged cases by share_bin()
  bool rare = false;  ///< a subject in the default selection that is tried less often

  /// The counts of the same property and subject elsewhere.
  void add(const PairCounts& other);
};
/// The first that never judged a case though it had turns enough, in a sentence; or empty.
std::string never_judged(const std::vector<PairCounts>& pairs);

/// A line of stats.jsonl: totals so far, and the largest share since the line before.
struct StatisticsLine {
  double seconds = 0;  ///< since the campaign began
  std::uint64_t cases = 0, elements = 0, fail = 0, vacuous = 0;
  std::uint64_t buckets = 0, corpus = 0;  ///< found; cases that were worth keeping
  double climbing = 0;                    ///< part of the cases that were mutations, lately
  std::map<std::string, std::map<std::string, double>> share;  ///< property -> tier -> share

  /// Totals alone: cases, elements, fail, vacuous, buckets, corpus.
  void add_totals(const StatisticsLine& other);
};

struct CampaignResult {
  std::uint64_t cases = 0;
  std::uint64_t elements = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> verdicts;  ///< pass, fail, vacuous, skip
  std::vector<Bucket> buckets;                    ///< most frequent first
  /// generate, evaluate, bound, other, findings: seconds summed
  std::map<std::string, double> time;
  std::map<std::string, std::map<std::string, double>> share_max;  ///< property -> subject -> share
  std::vector<PairCounts> pairs;
  Statistics statistics;                  ///< of all pairs
  std::vector<StatisticsLine> over_time;  ///< as in stats.jsonl
  std::uint64_t corpus = 0;               ///< cases that were worth keeping
  std::uint64_t seeds = 0;                ///< cases that climbing began with
  std::uint64_t unreadable_seeds = 0;     ///< files that were to be such
  std::map<std::string, std::uint64_t> elements_by_tier;
  std::map<std::string, std::uint64_t> vacuous_reasons;  ///< numbers in reasons are folded to #
  std::map<std::string, std::uint64_t> skip_reasons;
  std::map<std::string, std::string> unavailable;  ///< selected subjects that cannot run: why
  std::map<std::string, std::string> stopped;      ///< subjects that had no more turns: why
  std::vector<std::string> errors;                 ///< of the campaign itself: disk, a lost worker
  Environment environment;
  std::filesystem::path out;
  bool interrupted = false;
  bool running = false;  ///< not over yet

  /// Property and subject that never judged a case, or empty: then enough was executed.
  std::string too_little() const;
  /// 0 nothing new, 1 new failure, 4 infrastructure, 5 too little executed, 6 only flaky findings.
  int exit_code() const;
};

}  // namespace ulpfuzz
