#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"

/// Nights as they lie on disk, made by hand.
namespace ulpfuzz::nights {

using testing_support::content;
using testing_support::put;

/// In memory where that can be, so that a test is not about the speed of a disk.
struct Folder : testing_support::Folder {
  Folder()
      : testing_support::Folder(std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp") {}
};

/// All files below a folder, with what is in them.
inline std::map<std::string, std::string> tree(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).string()] = content(entry.path());
  return files;
}

/// Case i of a few small ones.
inline Case small_case(std::uint64_t i) {
  generators::Limits limits;
  limits.depth = 2;
  limits.width = 4;
  limits.batch = 4;
  return generators::case_from_seed(77, i, limits);
}

/// Writes findings/BUCKET/STEM.case.json and its account, and names it in the bucket. An empty stem
/// is the hash of the content.
inline std::filesystem::path put_finding(const std::filesystem::path& folder,
                                         report::NightBucket& b, std::uint64_t i,
                                         std::string stem = {}) {
  const Case c = small_case(i);
  if (stem.empty()) stem = content_hash(c);
  const std::filesystem::path place =
      std::filesystem::path(b.bucket.flaky ? "findings-flaky" : "findings") / b.bucket.id;
  std::filesystem::create_directories(folder / place);
  CaseFile file{c, {{"property", b.bucket.property}, {"subject", b.bucket.subject}}};
  put(folder / place / (stem + ".case.json"), to_text(file));
  put(folder / place / (stem + ".txt"), "account of " + content_hash(c));
  const bool had_minimal = b.bucket.case_file.filename() == "minimal.case.json";
  if (!had_minimal || stem == "minimal") b.bucket.case_file = place / (stem + ".case.json");
  return b.bucket.case_file;
}

inline report::NightBucket bucket(const std::string& id, std::uint64_t count = 1) {
  report::NightBucket b;
  b.bucket.id = id;
  b.bucket.property = "batched_vs_sliced";
  b.bucket.subject = "openblas";
  b.bucket.failure_class = "beyond_bound";
  b.bucket.cause = "row leak";
  b.bucket.first_op = "linear";
  b.bucket.reason = "beyond the bound in row 1";
  b.bucket.count = count;
  b.bucket.share = 3;
  b.bucket.reproduced = b.bucket.tried = 3;
  b.found_in = "random";
  return b;
}

inline report::Night night(const std::string& id) {
  report::Night n;
  n.id = id;
  n.date = id.substr(0, 4) + "-" + id.substr(4, 2) + "-" + id.substr(6, 2) + "T02:00:00Z";
  n.seed = 7;
  n.seconds = 60;
  n.cases = 100;
  n.verdicts = {{"pass", 100}};
  PairCounts p;
  p.property = "batched_vs_sliced";
  p.subject = "openblas";
  p.cases = p.pass = 100;
  p.share_max = 0.5;
  n.pairs = {p};
  return n;
}

inline void put_night(const std::filesystem::path& folder, const report::Night& night) {
  put(folder / "summary.json", report::to_json(night));
}

}  // namespace ulpfuzz::nights
