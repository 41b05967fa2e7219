#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz {

/// What a worker is at. Only `generate` and `evaluate` are timed by the parent: in `finding` the
/// worker watches children of its own. `again`: it ended so that a fresh process goes on.
enum class Phase : std::uint8_t { idle, generate, evaluate, finding, again, done };

struct Counters {
  std::uint64_t cases = 0;
  std::array<std::uint64_t, 4> verdicts{};  ///< by Outcome
  std::array<std::uint64_t, tier_count> elements{};
  std::uint64_t wrecks = 0;  ///< cases that left a process which could not go on
  double share_max = 0;
};

/// One worker's part of the shared memory. The worker writes, the parent reads; after a worker's
/// death the parent counts the case that killed it. So nothing is lost with a worker, however it
/// dies.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> index{0};   ///< case in hand
  std::atomic<std::int64_t> started{0};  ///< steady clock, nanoseconds
  std::atomic<Phase> phase{Phase::idle};
  double wall = 0, generate = 0, evaluate = 0, bound = 0, findings = 0;  ///< seconds
};

/// Memory that workers and parent share.
class SharedState {
 public:
  SharedState(std::size_t workers, std::size_t pairs);
  ~SharedState();
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  std::atomic<bool>& stop() { return *stop_; }
  Slot& slot(std::size_t worker) const { return slots_[worker]; }
  std::span<Counters> counters(std::size_t worker) const {
    return {counters_ + worker * pairs_, pairs_};
  }
  /// Pairs that get no further turns.
  std::atomic<bool>& stopped(std::size_t pair) const { return stopped_[pair]; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t pairs_ = 0;
  std::atomic<bool>* stop_ = nullptr;
  Slot* slots_ = nullptr;
  Counters* counters_ = nullptr;
  std::atomic<bool>* stopped_ = nullptr;
};

/// Steady clock in nanoseconds.
std::int64_t now_ns();

}  // namespace ulpfuzz
