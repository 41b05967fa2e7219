#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/runner/statistics.hpp"
#include "ulpfuzz/search/pool.hpp"

namespace ulpfuzz {

/// What a worker is at. Only `generate` and `evaluate` are timed by the parent: in `finding` the
/// worker watches children of its own. `again`: it ended so that a fresh process goes on.
enum class Phase : std::uint8_t { idle, generate, evaluate, finding, again, done };

/// The largest shares of an interval, by tier. There are two of these: while the parent reads the
/// one of the interval that is over, workers fill the other.
struct RecentShares {
  std::uint64_t interval = 0;  ///< that the numbers are of; an earlier one counts as none
  std::array<double, tier_count> share{};
};

struct Counters {
  std::uint64_t cases = 0;
  std::array<std::uint64_t, 4> verdicts{};  ///< by Outcome
  std::array<std::uint64_t, tier_count> elements{};
  std::uint64_t wrecks = 0;  ///< cases that left a process which could not go on
  double share_max = 0;
  std::array<std::uint64_t, share_bins> shares{};  ///< measured cases by share_bin()
  std::array<RecentShares, 2> recent{};            ///< by interval modulo 2

  void add(const Verdict& verdict, std::uint64_t interval);
};

/// One worker's part of the shared memory. The worker writes, the parent reads; after a worker's
/// death the parent counts the case that killed it. So nothing is lost with a worker, however it
/// dies.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> index{0};   ///< case in hand
  std::atomic<std::int64_t> started{0};  ///< steady clock, nanoseconds
  std::atomic<Phase> phase{Phase::idle};
  double wall = 0, generate = 0, evaluate = 0, bound = 0, findings = 0;  ///< seconds
  std::uint64_t mutations = 0;  ///< cases that search did not draw anew
  std::uint64_t corpus = 0;     ///< cases that were worth keeping
  Statistics statistics;
};

/// Where a worker has climbed to with a pair. A successor goes on there.
struct Climbed {
  search::Heights heights;
  std::uint64_t seeds = 0;  ///< of its own, so many are taken
};

/// Memory that workers and parent share.
class SharedState {
 public:
  SharedState(std::size_t workers, std::size_t pairs);
  ~SharedState();
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  std::atomic<bool>& stop() { return head_->stop; }
  /// Number of the interval between lines of statistics.
  std::atomic<std::uint64_t>& interval() const { return head_->interval; }
  Slot& slot(std::size_t worker) const { return slots_[worker]; }
  std::span<Counters> counters(std::size_t worker) const {
    return {counters_ + worker * pairs_, pairs_};
  }
  std::span<Climbed> climbed(std::size_t worker) const {
    return {climbed_ + worker * pairs_, pairs_};
  }
  /// Pairs that get no further turns.
  std::atomic<bool>& stopped(std::size_t pair) const { return stopped_[pair]; }

 private:
  struct Head {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> interval{1};
  };

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t pairs_ = 0;
  Head* head_ = nullptr;
  Slot* slots_ = nullptr;
  Counters* counters_ = nullptr;
  Climbed* climbed_ = nullptr;
  std::atomic<bool>* stopped_ = nullptr;
};

/// Steady clock in nanoseconds.
std::int64_t now_ns();

}  // namespace ulpfuzz
