#include "shared_state.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <new>
#include <system_error>

namespace ulpfuzz {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<Phase>::is_always_lock_free);

SharedState::SharedState(std::size_t workers, std::size_t pairs) : pairs_(pairs) {
  constexpr std::size_t head = 64;
  const std::size_t slots = workers * sizeof(Slot);
  const std::size_t counters = workers * pairs * sizeof(Counters);
  bytes_ = head + slots + counters + pairs * sizeof(std::atomic<bool>);
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto* bytes = static_cast<std::byte*>(memory_);
  stop_ = new (bytes) std::atomic<bool>(false);
  slots_ = reinterpret_cast<Slot*>(bytes + head);
  counters_ = reinterpret_cast<Counters*>(bytes + head + slots);
  stopped_ = reinterpret_cast<std::atomic<bool>*>(bytes + head + slots + counters);
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
