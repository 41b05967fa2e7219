#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/runner/environment.hpp"
#include "ulpfuzz/runner/statistics.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {

inline constexpr unsigned most_jobs = 256;

/// A case to run, and where it is from.
struct GivenCase {
  std::filesystem::path name;
  CaseFile content;
  std::string subject = {};  ///< only on this one; empty: on each of the campaign's
};

/// How a campaign comes to its cases.
enum class Search : std::uint8_t {
  random,  ///< each drawn anew
  climb    ///< mutations of the worst ones so far, beside random ones, by recent yield
};

/// What `ulpfuzz run` does.
struct CampaignOptions {
  /// Globs; empty: all but "fault/...", with the slow "reference/..." taking one turn in sixteen.
  std::vector<std::string> subjects;
  std::vector<std::string> properties;  ///< globs; empty: all
  bool faults = false;                  ///< with `subjects` empty, "fault/..." too
  std::string claim;  ///< name of the arithmetic that all are judged by; empty: what each claims
  std::uint64_t seed = 0;
  double seconds = 0;  ///< stop after this time; 0: no limit
  std::uint64_t cases =
      0;  ///< stop after this many (over all properties and subjects); 0: no limit
  /// Only case `index` of the seed, for each property and subject once.
  std::optional<std::uint64_t> index;
  /// These cases instead of any of the seed, each once on each subject, with the property of its
  /// notes, or all of `properties` where that is not empty or the notes name none. Judged by
  /// `claim`, whatever their notes name, and bitwise also where the notes say so.
  std::vector<GivenCase> given;
  /// `climb`: case i then also depends on the cases before it and on `jobs`, not on time.
  Search search = Search::random;
  /// Case files, or folders of them, that climbing begins with; those that no property takes are
  /// left out.
  std::vector<std::filesystem::path> seeds;
  /// Where cases worth keeping go, as worker-W/HASH.case, a folder a worker, append-only; empty:
  /// nowhere (climbing then uses `out`/corpus).
  std::filesystem::path corpus;
  /// Megabytes that a process which evaluates may have; 0: no limit. What takes more is
  /// FailureClass::out_of_memory.
  std::uint64_t memory_limit = 4096;
  double statistics_interval = 30;  ///< seconds between lines of `out`/stats.jsonl
  unsigned jobs = 1;                ///< worker processes, at most most_jobs
  std::filesystem::path out;        ///< report folder; empty: a fresh folder under ulpfuzz-out/
  std::filesystem::path copy;       ///< of summary.json; a device or FIFO there is written to
  double case_timeout = 20;         ///< seconds after which a subject hangs
  std::uint64_t shrink_evaluations = 3000;
  double shrink_seconds = 30;  ///< budget of one shrink
  bool fail_fast = false;      ///< stop at the first confirmed failure
  CheckOptions check;
  generators::Limits limits;  ///< gradient properties: the smaller of these and gradient_limits()
  bool progress = false;      ///< progress line on stderr
  /// One line that a person should see now: the seed, a finding, a file that cannot be written.
  std::function<void(const std::string&)> report;
};

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
};

struct CampaignResult {
  std::uint64_t cases = 0;
  std::uint64_t elements = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> verdicts;  ///< pass, fail, vacuous, skip
  std::vector<Bucket> buckets;                    ///< most frequent first
  std::map<std::string, double>
      time;  ///< generate, evaluate, bound, other, findings: seconds summed
  std::map<std::string, std::map<std::string, double>> share_max;  ///< property -> subject -> share
  std::vector<PairCounts> pairs;
  Statistics statistics;                  ///< of all pairs
  std::vector<StatisticsLine> over_time;  ///< as in stats.jsonl
  std::uint64_t corpus = 0;               ///< cases that were worth keeping
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

/// Fuzzes. Worker processes do the work, so that a crash or a hang of a subject is a finding. Each
/// failure is on disk before the next case runs; `out` holds summary.json and summary.txt at the
/// end, also after SIGINT, SIGTERM and SIGHUP, which are handled for the time of the call and end
/// it within seconds. The calling process evaluates nothing, and a worker that has evaluated forks
/// nothing, so that devices that no fork survives (CUDA) can be used. A subject whose last 20 cases
/// all left a process that could not go on (crash, hang, Subject::broken) is stopped. Case i of the
/// seed goes to the same property and subject whatever `jobs` is. Throws std::invalid_argument for
/// misuse, also for an `out` that holds a report and for a given case that is too large to compute,
/// and FileError for an unusable `out` or `copy`.
CampaignResult run_campaign(const CampaignOptions& options, const Registry& subjects);

}  // namespace ulpfuzz
