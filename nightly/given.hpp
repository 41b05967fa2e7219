#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "session.hpp"

namespace ulpfuzz::nightly {

/// Case files of some folders, and what could not be read of them.
struct Collected {
  std::vector<GivenCase> cases;       ///< by name; each content once
  std::vector<std::string> unusable;  ///< a line each, which begins with the file
};
/// All files below the folders. What is no case file, is cut, changed or no file at all is named in
/// `unusable`; a folder that is not there holds nothing. Reads until `cancelled`.
Collected collect(const std::vector<std::filesystem::path>& folders,
                  const std::function<bool()>& cancelled);

/// Sets the subject that a case is for by its notes, and drops the cases that the night does not
/// try: of a subject or property that was not chosen or is not there, each named in the note of
/// the phase, by their number.
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
