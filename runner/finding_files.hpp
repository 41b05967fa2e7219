#pragma once

#include <filesystem>
#include <string>

#include "plan.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {

/// How the files of a finding are called and what they say. All writes are atomic and throw
/// FileError.
class FindingFiles {
 public:
  /// `environment`: one line for the notes.
  FindingFiles(const CampaignOptions& options, std::string environment);

  struct Finding {
    const Pair& pair;
    const Verdict& verdict;
    std::uint64_t number;  ///< case_number()
    std::string bucket;
    std::string history;      ///< "failed again in 3 of 3 runs", lines about shrinking
    std::string cause;        ///< of the bucket: the original's, which a minimal case may not show
    std::string met_in;       ///< bucket in whose shrinking it was met, or empty
    std::string boundary;     ///< sentences, for the notes; empty if none
    std::string closer;       ///< lines about boundaries and what matters
    std::string report = {};  ///< of a sanitizer, about the original
  };
  /// findings/BUCKET/STEM.case.json and, beside it, STEM.txt. Returns the path of the case.
  std::filesystem::path write(const std::string& stem, const Case& c, const Finding& f) const;
  /// The account beside `case_file` anew, with more history.
  void write_account(const std::filesystem::path& case_file, const Case& c, const Finding& f) const;
  /// Moves a finding's two files from findings/ to findings-flaky/; returns the new path.
  std::filesystem::path move_to_flaky(const std::filesystem::path& case_file,
                                      const std::string& bucket) const;

  /// The bucket of a failure. One under a claim that is not the subject's own says so, so that it
  /// is not taken for a fault of the subject.
  std::string bucket(const Pair& pair, const Verdict& verdict) const;

  /// "ulpfuzz run --seed 7 --index 123 --property P --subject S", or --case FILE for a given case:
  /// makes the case again. Not of a campaign that climbs: there a case is what led to it.
  std::string regenerate_command(const Pair& pair, std::uint64_t number) const;
  /// The same; for what was met in shrinking or by climbing, the command that replays it.
  std::string origin_command(const Finding& f, const Case& c) const;

 private:
  bool climbs() const { return options_.search == Search::climb; }
  std::string origin(const Finding& f) const;
  std::string replay_command(const std::filesystem::path& shown, const Finding& f) const;
  /// Options of a command, each after a space.
  std::string how_judged(std::uint64_t number) const;

  const CampaignOptions& options_;
  std::string environment_;
};

}  // namespace ulpfuzz
