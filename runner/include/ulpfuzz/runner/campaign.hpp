#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/runner/campaign_result.hpp"
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
  bool fail_fast = false;      ///< stop at the first confirmed failure, shrunk
  CheckOptions check;
  generators::Limits limits;  ///< gradient properties: the smaller of these and gradient_limits()
  bool progress = false;      ///< progress line on stderr
  /// One line that a person should see now: the seed, a finding, a file that cannot be written.
  std::function<void(const std::string&)> report;
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
