#include "picture_bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "html_numbers.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

constexpr double bar_height = 14, line_height = 16, room_for_number = 18;
constexpr std::size_t most_cells = 40, most_slices = 24;

std::string rect(const char* kind, double x, double y, double width) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
                     kind, pixels(x), pixels(y), pixels(std::max(width, 0.5)), pixels(bar_height));
}

std::string label(double x, double y, const std::string& words) {
  return fmt::format("<text class=\"bar\" x=\"{}\" y=\"{}\">{}</text>", pixels(x), pixels(y),
                     words);
}

std::string batch_bar(std::size_t batch, const BarPlace& at, std::optional<std::uint32_t> row) {
  const double cell = at.width / static_cast<double>(batch);
  const bool marked = row && *row < batch;
  std::string svg;
  if (batch <= most_cells) {
    for (std::size_t i = 0; i < batch; ++i)
      svg += rect(marked && *row == i ? "row worst" : "row", at.x + static_cast<double>(i) * cell,
                  at.y, cell - 1);
    return svg;
  }
  svg = rect("row", at.x, at.y, at.width - 1);
  if (marked)
    svg += rect("row worst", at.x + static_cast<double>(*row) * cell, at.y, std::max(cell, 3.0));
  return svg;
}

std::size_t length(const Slice& s) { return s.rows.size() + s.padding; }

std::string slice_bar(const Case& c, const BarPlace& at) {
  const std::size_t shown = std::min(c.split.size(), most_slices);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < shown; ++i) rows += length(c.split[i]);
  const double scale = at.width / static_cast<double>(std::max<std::size_t>(rows, 1));
  std::string svg;
  double x = at.x;
  for (std::size_t i = 0; i < shown; ++i) {
    const Slice& s = c.split[i];
    const double width = static_cast<double>(s.rows.size()) * scale;
    const double padding = static_cast<double>(s.padding) * scale;
    if (!s.rows.empty()) svg += rect(i % 2 == 0 ? "slice" : "slice odd", x, at.y, width - 1);
    if (s.padding > 0) svg += rect("padding", x + width, at.y, padding - 1);
    if (width >= room_for_number)
      svg += fmt::format("<text class=\"in\" x=\"{}\" y=\"{}\">{}</text>", pixels(x + width / 2),
                         pixels(at.y + 10.5), s.rows.size());
    x += width + padding;
  }
  return svg;
}

std::string split_words(const Case& c) {
  std::size_t padding = 0;
  for (const Slice& s : c.split) padding += s.padding;
  std::string words = counted(c.split.size(), "slice");
  if (c.split.size() > most_slices) words += fmt::format(", the first {} drawn", most_slices);
  if (padding > 0) words += fmt::format(", with {} of padding", counted(padding, "row"));
  return words;
}

}  // namespace

Bars bars(const Case& c, const BarPlace& place, std::optional<std::uint32_t> row) {
  Bars result{"", place.y};
  const std::size_t batch = c.batch();
  const bool marked = row && *row < batch;
  double y = place.y + 10;
  result.svg += label(
      place.x, y,
      "batch of " + counted(batch, "row") + (marked ? fmt::format(", worst in row {}", *row) : ""));
  y += 5;
  if (batch > 0) {
    result.svg += batch_bar(batch, {place.x, y, place.width}, row);
    y += bar_height;
  }
  if (!c.split.empty()) {
    y += line_height;
    result.svg += label(place.x, y - 3, split_words(c));
    result.svg += slice_bar(c, {place.x, y + 2, place.width});
    y += bar_height + 2;
  }
  result.bottom = y;
  return result;
}

}  // namespace ulpfuzz::report::page
