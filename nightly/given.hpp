#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz::nightly {

/// Case files of some folders, and what could not be read of them.
struct Collected {
  std::vector<GivenCase> cases;       ///< by name; each content once
  std::vector<std::string> unusable;  ///< a line each, which begins with the file
};
/// All files below the folders. What is no case file, is cut, changed or no file at all is named in
/// `unusable`, as is a folder that cannot be read; one that is not there holds nothing. Reads until
/// `cancelled`. For folders that hold few cases.
Collected collect(const std::vector<std::filesystem::path>& folders,
                  const std::function<bool()>& cancelled);

/// The same, a slice at a time: what a long night kept does not fit into memory. Of what it has
/// read it holds names and hashes alone.
class CaseReader {
 public:
  CaseReader(const std::vector<std::filesystem::path>& folders, std::function<bool()> cancelled);

  /// The next ones, each content once of all slices; fewer than `most` where they are large; none
  /// at the end. A file that went meanwhile, as another night may publish to the same corpus, is
  /// none.
  std::vector<GivenCase> next(std::size_t most = 2048);
  /// Files that were not looked at yet.
  std::size_t left() const { return files_.size() - at_; }
  const std::vector<std::string>& unusable() const { return unusable_; }

  static constexpr std::uintmax_t slice_bytes = 32 << 20;  ///< of files

 private:
  void list(const std::filesystem::path& folder);
  void read(const std::filesystem::path& file, std::vector<GivenCase>& slice);
  bool is_new(const CaseFile& file);

  std::function<bool()> cancelled_;
  std::vector<std::string> files_;
  std::size_t at_ = 0;
  std::vector<std::string> unusable_;
  std::map<std::string, std::uint32_t> kept_for_;  ///< property and subject, numbered
  std::set<std::pair<std::uint64_t, std::uint32_t>> seen_;
};

/// Names of all files that can be read, each content once.
std::vector<std::filesystem::path> names_of(CaseReader& reader);

/// Which cases the night tries: those that were kept for a subject and a property that it has.
class TriedCases {
 public:
  explicit TriedCases(const Session& session) : session_(session) {}
  /// Sets the subject that a case is for by its notes, and drops the cases that are not tried.
  void keep(std::vector<GivenCase>& cases);
  /// The number of those that were dropped, in the note of the phase.
  void tell(report::Phase& phase) const;

 private:
  const Session& session_;
  std::map<std::string, bool> subjects_, properties_;
  std::size_t dropped_ = 0;
};
void keep_what_is_tried(Session& session, const std::string& phase, std::vector<GivenCase>& cases);

/// Names what could not be used: a few in the note of the phase, all in OUT/unusable.txt.
void tell_unusable(Session& session, const std::string& phase,
                   const std::vector<std::string>& unusable);

/// The finding that a case file is, by its notes and its folder; nothing for another file.
std::optional<Bucket> bucket_of(const std::filesystem::path& case_file);

/// Adds buckets for findings in `result.out` that it does not know of: a worker writes a failure
/// down before it tells of it.
void add_findings_on_disk(CampaignResult& result);

/// Do the chosen subjects have this one? By its name alone.
bool is_chosen(const Session& session, const std::string& subject);
bool is_chosen_property(const Session& session, const std::string& property);

}  // namespace ulpfuzz::nightly
