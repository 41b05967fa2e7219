#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "finding_files.hpp"
#include "plan.hpp"
#include "process.hpp"
#include "shared_state.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

/// What a worker has already done about a bucket; outlives the worker in the parent.
struct BucketWork {
  unsigned kept = 0;  ///< originals on disk
  bool shrunk = false;
};

/// A case that ended the worker before: the first thing its successor looks into.
struct Death {
  std::uint64_t turn = 0;
  FailureClass failure = FailureClass::crash;
  std::string cause, reason;
};

/// One worker process: takes every jobs-th case, counts in the shared memory, and writes messages
/// as JSON lines:
///   {"m": "fail", "bucket", ...}      a failure; with "first" when the bucket is new to this
///   worker
///   {"m": "file", "bucket", "path", "hash", "first_op", "minimal", "complexity", "share"}
///   {"m": "confirmed", "bucket", "reproduced", "tried"}
///   {"m": "flaky", "bucket", "path"}
///   {"m": "reasons", "vacuous": {...}, "skip": {...}}  counts since the last such message
///   {"m": "error", "text"}
class Worker {
 public:
  struct Setup {
    const CampaignOptions& options;
    const Plan& plan;
    SharedState& state;
    std::size_t number;
    process::Clock::time_point deadline;  ///< max() for none
    std::string environment;
    std::map<std::string, BucketWork> buckets;
    std::optional<Death> death;
    std::uint64_t first;  ///< turn to begin with
  };

  Worker(Setup setup, int fd);
  int run();

 private:
  bool over(std::uint64_t turn) const;
  void turn(std::uint64_t turn);
  void count(Counters& counters, const Verdict& verdict);
  void note_reason(const Verdict& verdict);
  void failure(std::uint64_t turn, const Case& c, const Verdict& verdict);
  void keep(std::uint64_t turn, const Case& c, const Verdict& verdict, const std::string& bucket);
  void confirm(const Case& c, const Pair& pair, const Verdict& verdict, unsigned& reproduced,
               unsigned& tried);
  void shrink_finding(std::uint64_t turn, const Case& c, const Verdict& verdict,
                      const std::string& bucket, const std::string& history);
  void look_into_death();
  void send(const nlohmann::json& message);
  void send_file(const std::string& bucket, const std::filesystem::path& path, const Case& c,
                 const Verdict& verdict, bool minimal);
  void send_error(const std::string& text);
  void flush_reasons();

  Setup s_;
  int fd_;
  Slot& slot_;
  std::uint64_t judged_ = 0;
  std::optional<CheckContext> context_{std::in_place};  ///< renewed now and then, see turn()
  FindingFiles files_;
  std::map<std::string, std::uint64_t> vacuous_, skip_;
  std::int64_t reasons_sent_ = 0;
  std::int64_t loop_began_ = 0;
};

}  // namespace ulpfuzz
