#include <charconv>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {
namespace {

/// The number that follows `word` in `text`, or -1.
std::int64_t number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return -1;
  std::int64_t value = -1;
  std::from_chars(text.data() + at + word.size(), text.data() + text.size(), value);
  return value;
}

}  // namespace

generators::Focus focus_of(const Verdict& verdict) {
  const std::string_view where = verdict.worst.where;
  generators::Focus focus;
  focus.row = number_after(where, "row ");
  focus.output = number_after(where, "column ");
  if (focus.output < 0 && where.starts_with("d output["))
    focus.output = number_after(where, "output[");
  return focus;
}

}  // namespace ulpfuzz
