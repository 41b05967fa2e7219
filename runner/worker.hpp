#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "climber.hpp"
#include "finding_files.hpp"
#include "memory.hpp"
#include "plan.hpp"
#include "shared_state.hpp"
#include "slips.hpp"
#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"

namespace ulpfuzz {

/// What a worker has already done about a bucket; outlives the worker in the parent.
struct BucketWork {
  unsigned kept = 0;  ///< originals on disk
  bool shrunk = false;
};

/// A failure that ended the worker before, by itself or by a crash: the first thing its successor
/// looks into.
struct Suspect {
  std::uint64_t turn = 0;
  Verdict verdict;
  std::string bucket;               ///< empty: it was not told yet
  std::filesystem::path case_file;  ///< empty: not on disk
  std::string met_in;  ///< bucket in whose shrinking it was met; empty: the case of `turn` itself
  std::string report = {};  ///< of a sanitizer
};

/// One worker process: takes every jobs-th case, counts in the shared memory, and writes messages
/// as JSON lines:
///   {"m": "fail", "bucket", ...}  a failure; with "first" when the bucket is new to this worker
///   {"m": "file", "bucket", "path", "hash", "first_op", "minimal", "complexity", "share"}
///   {"m": "confirmed", "bucket", "reproduced", "tried"}
///   {"m": "flaky", "bucket", "path"}
///   {"m": "reasons", "vacuous": {...}, "skip": {...}}  counts since the last such message
///   {"m": "error", "text"}
///   {"m": "again", "suspect"?: {"turn", "verdict", "bucket", "path"}}  it ends now
///
/// A process that has evaluated a subject forks no other: some subjects (CUDA) do not work in what
/// is forked from a process in which they have worked. So a failure is run again and shrunk by the
/// worker's successor, which the parent, that never evaluates, forks, and which judges no case of
/// its own before; it evaluates in children.
class Worker {
 public:
  struct Setup {
    const CampaignOptions& options;
    const Plan& plan;
    const Climbs& climbs;
    SharedState& state;
    std::size_t number;                   ///< of the worker
    process::Clock::time_point deadline;  ///< max() for none
    std::string environment;
    std::map<std::string, BucketWork> buckets;
    std::optional<Suspect> suspect;
    std::uint64_t first;  ///< turn to begin with
  };

  Worker(Setup setup, int fd);
  int run();

 private:
  bool over(std::uint64_t turn) const;
  void turn(std::uint64_t turn);
  Case case_of(std::uint64_t turn);
  void settle(std::uint64_t turn, const Case& c, const Verdict& verdict);
  void write_corpus();
  std::uint64_t number(std::uint64_t turn) const { return case_number(s_.options, s_.plan, turn); }
  CheckOptions check_of(std::uint64_t turn) const {
    return check_options(s_.options, number(turn));
  }
  void count(std::size_t pair, const Case& c, const Verdict& verdict, bool broken);
  bool has_leaked() const;
  void note_reason(const Verdict& verdict);
  std::optional<Suspect> failure(Suspect suspect, const Case& c);
  std::filesystem::path keep(const Suspect& suspect, const Case& c);
  void confirm(const Suspect& suspect, const Case& c, unsigned& reproduced, unsigned& tried);
  void tell(const Suspect& suspect, const Case& c, bool first);
  FindingFiles::Finding finding(const Suspect& suspect) const;
  void shrink_finding(const Suspect& suspect, const Case& c, const std::string& history);
  GuardOptions shrink_options(const Suspect& suspect) const;
  ShrinkResult shrink_kept(const Suspect& suspect, const Case& c, Slips& slips);
  void write_shrunk(const Suspect& suspect, const ShrinkResult& r, const FindingFiles::Finding& f);
  void look_closer(const Suspect& suspect, const ShrinkResult& r, FindingFiles::Finding& f);
  void look_into_slips(const Suspect& suspect, const Slips& slips);
  void look_into_suspect();
  void inquire(const Suspect& suspect, const Case& c);
  void hand_over(const std::optional<Suspect>& suspect);
  void send(const nlohmann::json& message);
  void send_file(const std::string& bucket, const std::filesystem::path& path, const Case& c,
                 const Verdict& verdict, bool minimal);
  void send_error(const std::string& text);
  void flush_reasons();

  Setup s_;
  int fd_;
  Slot& slot_;
  std::uint64_t judged_ = 0;
  bool ended_ = false;
  std::uint64_t memory_before_ = process::own_memory();
  std::optional<CheckContext> context_{std::in_place};  ///< renewed now and then, see turn()
  FindingFiles files_;
  std::optional<Climber> climber_;  ///< where the campaign climbs, or keeps cases
  std::map<std::string, std::uint64_t> vacuous_, skip_;
  std::int64_t reasons_sent_ = 0;
  std::int64_t loop_began_ = 0;
};

}  // namespace ulpfuzz
