#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ulpfuzz/runner/campaign.hpp"
#include "worker.hpp"

namespace ulpfuzz {

/// What the parent knows of findings: merges what workers say about the same bucket. The smallest
/// minimal case wins and is called minimal.case.json.
class BucketBook {
 public:
  using Say = std::function<void(const std::string&)>;
  BucketBook(std::size_t workers, Say say) : work_(workers), say_(std::move(say)) {}

  /// A message "fail", "file", "confirmed" or "flaky" of a worker.
  void take(std::size_t worker, const nlohmann::json& message);
  /// What a restarted worker need not do again.
  const std::map<std::string, BucketWork>& work_of(std::size_t worker) const {
    return work_[worker];
  }
  std::size_t size() const { return entries_.size(); }
  /// As merged_buckets() has them: most frequent first.
  std::vector<Bucket> buckets() const;

 private:
  struct Entry {
    Bucket bucket;
    std::vector<std::uint64_t> complexity;  ///< of bucket.case_file
    std::string hash, first_op;             ///< of its content; that it shows
    bool minimal = false;
  };
  void fail(std::size_t worker, Entry& entry, const nlohmann::json& message);
  void file(std::size_t worker, Entry& entry, const nlohmann::json& message);

  std::map<std::string, Entry> entries_;
  std::vector<std::map<std::string, BucketWork>> work_;
  Say say_;
};

}  // namespace ulpfuzz
