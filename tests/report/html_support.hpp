#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ulpfuzz::samples {

inline std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++n;
  return n;
}

/// What stands after `begin` and before the next `end`; "" if there is none.
inline std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  return std::string(text.substr(from + begin.size(), to - from - begin.size()));
}

/// The page but for its scripts and style: what a night can have put there.
inline std::string markup(const std::string& page) {
  const std::size_t body = page.find("<body>"),
                    data = page.find("<script type=\"application/json\"");
  return page.substr(body, data - body);
}

/// What the charts are drawn from.
inline nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(
      between(page, "<script type=\"application/json\" id=\"data\">", "</script>"));
}

}  // namespace ulpfuzz::samples
