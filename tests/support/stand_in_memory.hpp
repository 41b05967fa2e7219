#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ulpfuzz::stand_in {

/// Bytes that a call reads or writes.
struct Range {
  const void* at = nullptr;
  std::size_t bytes = 0;
};

/// Allocations with guard bytes on both sides. New memory is filled with NaN.
class Memory {
 public:
  /// Aligned to 256 bytes, never null.
  void* allocate(std::size_t bytes);
  /// Wipes and frees it. What was wrong: that it is not allocated, changed guard bytes; else "".
  std::string release(void* memory);
  /// Does it lie in one allocation? Of no bytes, yes.
  bool contains(const Range& range) const;
  /// Complaints about changed guard bytes, each once.
  std::vector<std::string> check();

  std::size_t allocations() const { return blocks_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    std::unique_ptr<unsigned char[]> storage;
    unsigned char* begin;
    std::size_t bytes;
  };
  std::string complaint(Block& block) const;

  std::map<const unsigned char*, Block> blocks_;  // by first byte
  std::size_t bytes_ = 0;
};

}  // namespace ulpfuzz::stand_in
