#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {

struct ReplayOptions {
  std::vector<std::string> subjects;  ///< globs; empty: the one in the notes, else all honest ones
  std::vector<std::string> properties;  ///< globs; empty: the one in the notes, else all
  /// Name of the arithmetic that all are judged by; empty: the one in the notes, else what each
  /// subject claims.
  std::string claim;
  CheckOptions check;
  /// So many runs must give the same verdict and the same bits, half of them in one process, the
  /// others each in its own, as far as there are not very many.
  unsigned times = 1;
  double case_timeout = 120;
  std::uint64_t memory_limit = 4096;  ///< mebibytes of each process that evaluates; 0: no limit
  std::function<bool()> cancelled;    ///< asked all the time
};

/// How far the two paths of a property lie apart, whatever the bound says.
struct PathDifference {
  std::uint64_t elements = 0;
  std::uint64_t bit_equal = 0;
  double largest = 0;      ///< |a - b|, over the finite elements
  double sum = 0;          ///< of |a - b|
  std::uint64_t ulps = 0;  ///< largest distance
  std::uint64_t bits = 0;  ///< hash of all result bits
};

/// One property on one subject on one case.
struct ReplayRow {
  std::string property, subject;
  Verdict verdict;
  std::optional<PathDifference> difference;  ///< nothing if a path could not be evaluated
  bool repeatable = true;                    ///< all `times` runs agreed
  unsigned runs = 0, processes = 0;          ///< so many were made, in so many processes
  double seconds = 0;
  std::string account;  ///< explain() of a failure
};

struct ReplayedCase {
  std::filesystem::path file;
  CaseFile content;
  std::string claim;  ///< what all were judged by; empty: what each claims
  std::vector<ReplayRow> rows;
  /// Subjects that cannot run here: why. One that was named, not matched by a glob, also has rows.
  std::map<std::string, std::string> unavailable;
  std::string error;         ///< why there is nothing else
  bool interrupted = false;  ///< options.cancelled, before the last row
};

/// Files and, recursively, the case files of folders (*.case, *.case.json), sorted. FileError for a
/// path that does not exist and for a folder without case files.
std::vector<std::filesystem::path> case_files(const std::vector<std::filesystem::path>& paths);

/// Each judged in forked children; the calling process evaluates nothing. Throws FileError, also
/// for a case that is too large to compute, and std::invalid_argument (unknown names).
ReplayedCase replay(const std::filesystem::path& file, const ReplayOptions& options,
                    const Registry& subjects);

/// A table, one line a subject and property, below the case in a line or two.
std::string to_text(const ReplayedCase& replayed);
/// JSON of all; `code`: what the tool returns, if it is not exit_code(replayed).
std::string to_json(const std::vector<ReplayedCase>& replayed, std::optional<int> code = {});

/// The first that applies: 3 one fails that lies under a folder "regressions" and whose notes
/// expect "pass"; 1 one fails; 2 one has an error; 6 runs disagree; 5 nothing was judged, or it was
/// interrupted; 0 all pass.
int exit_code(const std::vector<ReplayedCase>& replayed);

/// The selection rules of all verbs. No globs: all but "fault/..." (with `faults`: those too). A
/// fault answers only to globs that begin with "fault/". std::invalid_argument for a glob without
/// match, naming what there is.
std::vector<const Subject*> select_subjects(const Registry& subjects,
                                            const std::vector<std::string>& globs,
                                            bool faults = false);
std::vector<const Property*> select_properties(const std::vector<std::string>& globs);
/// `subjects`, which must outlive it, judged by the arithmetic of that name (arithmetic_from());
/// std::invalid_argument for an unknown one, naming what there is.
Registry judged_as(const std::string& claim, const Registry& subjects);

}  // namespace ulpfuzz
