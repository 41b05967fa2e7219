#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../slips.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/dissect_guarded.hpp"

namespace ulpfuzz::tool {

/// What `ulpfuzz shrink` did with a case that fails.
struct ShrinkReport {
  std::filesystem::path file;
  CaseFile given;
  const Property& property;
  const Subject& subject;
  std::string claim;
  bool bitwise = false;
  Confirmation confirmation;
  ShrinkResult result;
  Slips slips{3};
  Findings findings;
  std::string journal;  ///< where it was left, or empty
  struct Files {
    std::filesystem::path minimal, severe;
    std::vector<std::filesystem::path> rungs;  ///< as result.ladder
    std::map<std::string, std::vector<std::filesystem::path>> slips;
  } files;
};

/// Each writes what the result has, and notes where in report.files. FileError.
void write_minimal(ShrinkReport& report);
void write_severe(ShrinkReport& report);
void write_ladder(ShrinkReport& report, const std::filesystem::path& folder);
/// In X.slips/BUCKET/HASH.case.json beside X.case.json.
void write_slips(ShrinkReport& report);

/// Sizes, table and counts, once it is shrunk; `verbose`: each pass.
std::string result_text(const ShrinkReport& report, bool verbose);
/// The account, the boundaries, what matters, and where it all was written.
std::string account_text(const ShrinkReport& report);
/// One JSON object: see shrink_json.cpp.
std::string shrink_json(const ShrinkReport& report, int code);

}  // namespace ulpfuzz::tool
