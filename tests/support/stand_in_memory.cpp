#include "support/stand_in_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ulpfuzz::stand_in {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t guard = 256;
constexpr unsigned char guard_byte = 0xbd;
constexpr unsigned char poison_byte = 0xff;  // NaN as a float

const unsigned char* bytes_at(const void* at) { return static_cast<const unsigned char*>(at); }

}  // namespace

void* Memory::allocate(std::size_t bytes) {
  auto storage = std::make_unique<unsigned char[]>(bytes + 2 * guard + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(storage.get()) + guard;
  unsigned char* const begin =
      storage.get() + guard + (alignment - address % alignment) % alignment;
  std::memset(begin - guard, guard_byte, guard);
  std::memset(begin, poison_byte, bytes);
  std::memset(begin + bytes, guard_byte, guard);
  blocks_[begin] = {std::move(storage), begin, bytes};
  bytes_ += bytes;
  return begin;
}

std::string Memory::release(void* memory) {
  const auto it = blocks_.find(bytes_at(memory));
  if (it == blocks_.end()) return "release of what is not allocated, or not any more";
  const std::string wrong = complaint(it->second);
  std::memset(it->second.begin, poison_byte, it->second.bytes);
  bytes_ -= it->second.bytes;
  blocks_.erase(it);
  return wrong;
}

bool Memory::contains(const Range& range) const {
  if (range.bytes == 0) return true;
  auto it = blocks_.upper_bound(bytes_at(range.at));
  if (it == blocks_.begin()) return false;
  --it;
  const auto offset = static_cast<std::size_t>(bytes_at(range.at) - it->first);
  return offset <= it->second.bytes && range.bytes <= it->second.bytes - offset;
}

std::vector<std::string> Memory::check() {
  std::vector<std::string> wrong;
  for (auto& [begin, block] : blocks_)
    if (std::string text = complaint(block); !text.empty()) wrong.push_back(std::move(text));
  return wrong;
}

std::string Memory::complaint(Block& block) const {
  const auto changed = [](unsigned char* from) {
    const auto* at = std::find_if(from, from + guard, [](auto b) { return b != guard_byte; });
    return at == from + guard ? -1 : at - from;
  };
  const auto before = changed(block.begin - guard), after = changed(block.begin + block.bytes);
  std::memset(block.begin - guard, guard_byte, guard);
  std::memset(block.begin + block.bytes, guard_byte, guard);
  if (before >= 0)
    return fmt::format("wrote {} bytes in front of an allocation of {}",
                       static_cast<std::ptrdiff_t>(guard) - before, block.bytes);
  if (after >= 0)
    return fmt::format("wrote {} bytes behind an allocation of {}", after, block.bytes);
  return {};
}

}  // namespace ulpfuzz::stand_in
