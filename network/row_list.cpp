#include "ulpfuzz/network/row_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>

namespace ulpfuzz {
namespace {

struct Run {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// "7" or "0-4".
std::optional<Run> parse_run(std::string_view text) {
  Run run;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, run.first);
  if (error != std::errc{}) return std::nullopt;
  run.last = run.first;
  if (stop != end && *stop == '-') {
    const auto second = std::from_chars(stop + 1, end, run.last);
    if (second.ec != std::errc{} || run.last < run.first) return std::nullopt;
    stop = second.ptr;
  }
  return stop == end ? std::optional<Run>{run} : std::nullopt;
}

template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> text, T&&... values) {
  throw std::invalid_argument(fmt::format(text, std::forward<T>(values)...));
}

}  // namespace

std::vector<std::uint32_t> parse_rows(std::string_view text, std::size_t batch, std::size_t most) {
  std::vector<std::uint32_t> rows;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    const auto run = parse_run(word);
    if (!run) refuse("\"{:.40}\" is no row or run of rows; write 0-4,7,9", word);
    if (run->last >= batch) refuse("row {} of a batch of {}; rows count from 0", run->last, batch);
    const std::size_t count = std::size_t{run->last} - run->first + 1;
    if (count > most - rows.size()) refuse("more than {} rows; cut it", most);
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(run->first + static_cast<std::uint32_t>(i));
    text.remove_prefix(word.size());
    if (text == ",") refuse("ends with a comma; drop it");
    if (!text.empty()) text.remove_prefix(1);
  }
  return rows;
}

}  // namespace ulpfuzz
