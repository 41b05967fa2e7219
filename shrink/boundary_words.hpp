#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ulpfuzz::shrinking {

/// "a, b, c"
inline std::string joined(std::span<const std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// The first `most` of them: "3, 7, 11 .."
inline std::string joined(std::span<const std::uint32_t> numbers, std::size_t most) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size() && i < most; ++i)
    parts.push_back(std::to_string(numbers[i]));
  return joined(parts) + (most < numbers.size() ? " .." : "");
}

/// Positions of what is true: "0, 4, 8..11"
inline std::string runs(const std::vector<bool>& is) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (!is[i]) continue;
    std::size_t last = i;
    while (last + 1 < is.size() && is[last + 1]) ++last;
    const char* between = last == i + 1 ? ", " : "..";
    parts.push_back(std::to_string(i) + (last == i ? "" : between + std::to_string(last)));
    i = last;
  }
  return joined(parts);
}

}  // namespace ulpfuzz::shrinking
