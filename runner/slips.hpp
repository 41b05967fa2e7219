#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

/// Failures that a shrinker met on its way and that are not the one it shrinks: the simplest few of
/// each bucket.
class Slips {
 public:
  struct Slip {
    Shrunk found;
    std::vector<std::uint64_t> complexity;
  };
  explicit Slips(std::size_t kept_each) : kept_each_(kept_each) {}

  void add(const std::string& bucket, const Case& c, const Verdict& verdict);
  /// Simplest first.
  const std::map<std::string, std::vector<Slip>>& buckets() const { return buckets_; }

 private:
  std::size_t kept_each_;
  std::map<std::string, std::vector<Slip>> buckets_;
};

}  // namespace ulpfuzz
