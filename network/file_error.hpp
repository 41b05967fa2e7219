#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {

/// Throws FileError. One line, whatever the parts quote.
[[noreturn]] inline void refuse(std::string_view name, std::string_view place,
                                std::string_view problem, std::string_view remedy) {
  std::string line = fmt::format("{}: {}: {}; {}", name, place, problem, remedy);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  throw FileError(line);
}

/// What a reader accepts beyond what the bytes of a file pay for: shapes of values, rows without
/// values and runs of a split cost a file next to nothing.
namespace limits {
inline constexpr std::uint32_t dimension = 1u << 24;
inline constexpr std::size_t value_size = std::size_t{1} << 24;
inline constexpr std::uint32_t empty_rows = 1u << 16;
inline constexpr std::size_t split_rows = std::size_t{1} << 24;
inline constexpr std::size_t file_bytes = std::size_t{1} << 30;
inline constexpr int json_depth = 64;
}  // namespace limits

}  // namespace ulpfuzz
