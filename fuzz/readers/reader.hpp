#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

// What the targets of readers share. What a reader refuses with FileError it is allowed to refuse;
// any other exception, a sanitizer's report or a round trip that loses something ends the run.
namespace ulpfuzz::fuzz {

inline std::string_view characters(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "DEDUP_TOKEN: reader/WHAT", then abort().
[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "DEDUP_TOKEN: reader/%s\n", what);
  std::abort();
}

}  // namespace ulpfuzz::fuzz
