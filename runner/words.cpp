#include "ulpfuzz/runner/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ulpfuzz {

std::string with_commas(std::uint64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(n), what, n == 1 ? "" : "s");
}

std::string clock_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string share_text(double share) {
  if (!(share < std::numeric_limits<double>::max())) return "infinite";
  if (share > 0.9999 && share < 1) return "<1";  // attained, not exceeded
  return share >= 1e6 ? fmt::format("{:.1e}", share) : fmt::format("{:.4f}", share);
}

std::string_view exit_code_meaning(int exit_code) {
  switch (exit_code) {
    case 0:
      return "nothing new";
    case 1:
      return "a failure is new or open";
    case 3:
      return "a failure is back";
    case 4:
      return "infrastructure failed";
    case 5:
      return "too little was executed, or not published";
    case 6:
      return "only flaky findings";
    default:
      return "";
  }
}

std::vector<std::pair<std::string, std::uint64_t>> by_frequency(
    const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find("; ", from), text.size());
    parts.emplace_back(text.substr(from, end - from));
    from = end + 2;
  }
  return parts;
}

bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

}  // namespace ulpfuzz
