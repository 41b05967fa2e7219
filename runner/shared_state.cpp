#include "shared_state.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>

namespace ulpfuzz {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<Phase>::is_always_lock_free);
static_assert(std::is_trivially_copyable_v<Climbed>);

void Counters::add(const Verdict& verdict, std::uint64_t interval) {
  ++cases;
  ++verdicts[static_cast<std::size_t>(verdict.outcome)];
  for (std::size_t t = 0; t < tier_count; ++t) elements[t] += verdict.elements[t];
  if (verdict.outcome == Outcome::pass || verdict.failed())
    share_max = std::max(share_max, verdict.share);
  if (!is_measured(verdict)) return;
  ++shares[share_bin(verdict.share)];
  RecentShares& now = recent[interval % recent.size()];
  if (now.interval != interval) now = {interval, {}};
  double& largest = now.share[static_cast<std::size_t>(verdict.worst.tier)];
  largest = std::max(largest, verdict.share);
}

SharedState::SharedState(std::size_t workers, std::size_t pairs) : pairs_(pairs) {
  constexpr std::size_t head = 64;
  static_assert(sizeof(Head) <= head);
  const std::size_t slots = workers * sizeof(Slot);
  const std::size_t counters = workers * pairs * sizeof(Counters);
  const std::size_t climbed = workers * pairs * sizeof(Climbed);
  bytes_ = head + slots + counters + climbed + pairs * sizeof(std::atomic<bool>);
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto* bytes = static_cast<std::byte*>(memory_);
  head_ = new (bytes) Head;
  slots_ = reinterpret_cast<Slot*>(bytes + head);
  counters_ = reinterpret_cast<Counters*>(bytes + head + slots);
  // Fresh pages are zeros, which is how a climb begins: those that nobody touches take no memory.
  climbed_ = reinterpret_cast<Climbed*>(bytes + head + slots + counters);
  stopped_ = reinterpret_cast<std::atomic<bool>*>(bytes + head + slots + counters + climbed);
  std::uninitialized_default_construct_n(slots_, workers);
  std::uninitialized_value_construct_n(counters_, workers * pairs);
  std::uninitialized_value_construct_n(stopped_, pairs);
}

SharedState::~SharedState() { munmap(memory_, bytes_); }

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace ulpfuzz
