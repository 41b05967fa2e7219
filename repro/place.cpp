#include "place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ulpfuzz::repro {
namespace {

/// Takes text off the front, word by word and number by number.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool word(std::string_view w) {
    if (!text_.starts_with(w)) return false;
    text_.remove_prefix(w.size());
    return true;
  }
  template <class T>
  bool number(T& n) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }
  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

/// "input 0[3]" or "parameter 1[0][4]"
bool element(Reader& r, const Case& c, Place& p) {
  std::size_t index = 0;
  std::size_t i = 0;
  if (r.word("input ")) {
    if (!(r.number(index) && r.word("[") && r.number(i) && r.word("]"))) return false;
    if (index >= c.inputs.size() || i >= c.inputs[index].cols) return false;
    p.wrt = index;
    p.element = i;
    return true;
  }
  std::size_t j = 0;
  if (!(r.word("parameter ") && r.number(index) && r.word("[") && r.number(i) && r.word("][") &&
        r.number(j) && r.word("]")))
    return false;
  if (index >= c.parameters.size()) return false;
  p.wrt = c.inputs.size() + index;
  p.element = i * c.parameters[index].cols + j;
  return p.element < c.parameters[index].data.size();
}

std::string rows_in_words(const std::vector<std::uint32_t>& rows) {
  constexpr std::size_t most = 8;
  if (rows.empty()) return "no rows";
  if (rows.size() == 1) return fmt::format("row {}", rows.front());
  const bool run = std::adjacent_find(rows.begin(), rows.end(),
                                      [](auto a, auto b) { return b != a + 1; }) == rows.end();
  if (run) return fmt::format("rows {}-{}", rows.front(), rows.back());
  std::string text = "rows " + std::to_string(rows.front());
  for (std::size_t i = 1; i < std::min(most, rows.size()); ++i)
    text += ", " + std::to_string(rows[i]);
  if (rows.size() > most) text += fmt::format(", ... ({} in all)", rows.size());
  return text;
}

}  // namespace

std::optional<Place> place_from(std::string_view where, const Case& c) {
  Reader r(where);
  Place p;
  bool read = false;
  if (r.word("output[row ")) {
    read = r.number(p.row) && r.word("][column ") && r.number(p.column) && r.word("]");
  } else if (r.word("d output[")) {
    p.kind = Place::Kind::jacobian;
    read = r.number(p.column) && r.word("] / d ") && element(r, c, p) && r.word(", row ") &&
           r.number(p.row);
  } else if (r.word("batch-summed gradient of ")) {
    p.kind = Place::Kind::summed;
    read = element(r, c, p);
  }
  const bool there =
      p.kind == Place::Kind::summed || (p.row < c.batch() && p.column < c.output_width());
  if (!read || !r.done() || !there) return std::nullopt;
  return p;
}

std::string slice_words(const Slice& slice) {
  std::string words = "slice " + rows_in_words(slice.rows);
  if (slice.padding != 0) words += fmt::format(" with {} rows of padding", slice.padding);
  return words;
}

}  // namespace ulpfuzz::repro
