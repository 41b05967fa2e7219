#include <fmt/format.h>

#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::probe {
namespace {

struct Range {
  std::size_t first, last;
  std::size_t length() const { return last - first; }
  std::string text() const {
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
};

std::vector<Range> ranges_of(std::span<const std::size_t> sizes) {
  std::vector<Range> ranges;
  for (const std::size_t size : sizes) {
    if (!ranges.empty() && ranges.back().last + 1 == size)
      ranges.back().last = size;
    else
      ranges.push_back({size, size});
  }
  return ranges;
}

}  // namespace

std::string compact(std::span<const std::size_t> sizes) {
  constexpr std::size_t worth_it = 4;
  const std::vector<Range> ranges = ranges_of(sizes);
  std::string text;
  for (std::size_t i = 0; i < ranges.size();) {
    // Ranges of one length at equal distances; the last may be cut short.
    std::size_t end = i + 1;
    while (end < ranges.size() && ranges[end - 1].length() == ranges[i].length() &&
           ranges[end].length() <= ranges[i].length() &&
           ranges[end].first - ranges[end - 1].first == ranges[i + 1].first - ranges[i].first)
      ++end;
    const std::string_view comma = text.empty() ? "" : ", ";
    if (end - i >= worth_it) {
      text += fmt::format("{}{}, {} .. {}", comma, ranges[i].text(), ranges[i + 1].text(),
                          ranges[end - 1].text());
      i = end;
    } else {
      text += fmt::format("{}{}", comma, ranges[i].text());
      ++i;
    }
  }
  return text;
}

}  // namespace ulpfuzz::probe
