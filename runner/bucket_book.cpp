#include "bucket_book.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bucket_merge.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/json_text.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

/// Of a worker's minimal-N.case.json, severe-N.case.json beside it.
fs::path severe_beside(const fs::path& minimal) {
  const std::string name = minimal.filename().string();
  return minimal.parent_path() / ("severe" + name.substr(std::string_view("minimal").size()));
}

bool rename_with_account(const fs::path& path, const fs::path& target) {
  std::error_code error;
  fs::rename(path, target, error);
  if (error) return false;
  fs::rename(account_of(path), account_of(target), error);
  return true;
}

void remove_with_account(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  fs::remove(account_of(path), error);
}

/// Renames a worker's minimal case and its account to minimal.case.json and minimal.txt; the severe
/// one, if there is one, likewise.
fs::path crown(const fs::path& path) {
  const fs::path target = path.parent_path() / "minimal.case.json";
  if (!rename_with_account(path, target)) return path;
  const fs::path severe = path.parent_path() / "severe.case.json";
  remove_with_account(severe);  // of a minimal case that is no more
  rename_with_account(severe_beside(path), severe);
  return target;
}

void discard(const fs::path& path) {
  remove_with_account(path);
  remove_with_account(severe_beside(path));
}

}  // namespace

void BucketBook::take(std::size_t worker, const nlohmann::json& message) {
  const std::string id = message.at("bucket");
  const std::string kind = message.at("m");
  Entry& entry = entries_[id];
  entry.bucket.id = id;
  if (kind == "fail") {
    fail(worker, entry, message);
  } else if (kind == "file") {
    file(worker, entry, message);
  } else if (kind == "confirmed") {
    entry.bucket.reproduced += message.at("reproduced").get<unsigned>();
    entry.bucket.tried += message.at("tried").get<unsigned>();
    entry.bucket.flaky = entry.bucket.tried > 0 && entry.bucket.reproduced == 0;
  } else if (kind == "flaky" && !entry.minimal) {
    entry.bucket.case_file = message.at("path").get<std::string>();
  }
}

void BucketBook::fail(std::size_t worker, Entry& entry, const nlohmann::json& message) {
  Bucket& b = entry.bucket;
  ++b.count;
  b.share = std::max(b.share, read_number(message.at("share")));
  const bool met_elsewhere =
      message.contains("first") && !message.at("first").at("met_in").get<std::string>().empty();
  if (!met_elsewhere && !b.met_in.empty()) {  // a case of the campaign shows it, too
    b.met_in.clear();
    b.index = message.at("index");
  }
  if (!message.contains("first")) return;
  ++work_[worker][b.id].kept;
  const nlohmann::json& first = message.at("first");
  if (!b.property.empty()) return;
  b.property = first.at("property");
  b.subject = first.at("subject");
  b.failure_class = first.at("class");
  b.cause = first.at("cause");
  b.first_op = first.at("first_op");
  b.reason = first.at("reason");
  b.met_in = first.at("met_in");
  b.index = message.at("index");
  say_(fmt::format("FAIL {}: {}\n  {}", b.id, b.reason, first.at("command").get<std::string>()));
}

void BucketBook::file(std::size_t worker, Entry& entry, const nlohmann::json& message) {
  const fs::path path = message.at("path").get<std::string>();
  const bool minimal = message.at("minimal");
  auto complexity = message.at("complexity").get<std::vector<std::uint64_t>>();
  if (minimal) work_[worker][entry.bucket.id].shrunk = true;
  const bool better = entry.bucket.case_file.empty() || (minimal && !entry.minimal) ||
                      (minimal == entry.minimal && complexity < entry.complexity);
  if (!better) {
    if (minimal) discard(path);
    return;
  }
  entry.complexity = std::move(complexity);
  entry.hash = message.at("hash");
  entry.first_op = message.at("first_op");
  entry.minimal = minimal;
  entry.bucket.case_file = minimal ? crown(path) : path;
  if (minimal)
    say_(fmt::format("  minimal case of {}: {}", entry.bucket.id, entry.bucket.case_file.string()));
}

std::vector<Bucket> BucketBook::buckets() const {
  std::vector<CountedBucket> all;
  for (const auto& [id, entry] : entries_) {
    CountedBucket& b = all.emplace_back();
    b.bucket = entry.bucket;
    b.complexity = entry.complexity;
    b.shown_op = entry.minimal ? entry.first_op : entry.bucket.first_op;
    if (entry.minimal) b.minimal = entry.hash;
  }
  return merged_buckets(std::move(all));
}

}  // namespace ulpfuzz
