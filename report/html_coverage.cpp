#include <fmt/format.h>

#include <algorithm>

#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "ulpfuzz/network/op.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

struct Entry {
  std::string name;
  std::uint64_t cases = 0;
};

std::string bars(const std::string& title, const std::vector<Entry>& entries) {
  std::uint64_t most = 1;
  for (const Entry& e : entries) most = std::max(most, e.cases);
  std::string rows;
  for (const Entry& e : entries)
    rows += fmt::format("<tr{}><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td></tr>\n",
                        e.cases == 0 ? " class=\"never\"" : "", escape(e.name),
                        meter(static_cast<double>(e.cases) / static_cast<double>(most)),
                        e.cases == 0 ? std::string("never") : short_count(e.cases));
  return fmt::format("<table class=\"bars\"><caption>{}</caption><tbody>\n{}</tbody></table>\n",
                     title, rows);
}

std::string missing(const std::vector<Entry>& entries) {
  std::string words;
  for (const Entry& e : entries)
    if (e.cases == 0) words += (words.empty() ? "" : ", ") + code(e.name);
  return words;
}

/// Ops that a case can have; those that only derivatives need where one has them all the same.
std::vector<Entry> ops(const Statistics& s) {
  std::vector<Entry> entries;
  for (int i = static_cast<int>(Op::linear); i < op_count; ++i) {
    const std::uint64_t cases = s.ops[static_cast<std::size_t>(i)];
    const Op op = static_cast<Op>(i);
    if (op <= Op::reshape || cases > 0) entries.push_back({std::string(name(op)), cases});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.cases > b.cases; });
  return entries;
}

std::vector<Entry> values(const Statistics& s) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < value_classes; ++i) {
    std::string word(name(static_cast<ValueClass>(i)));
    std::replace(word.begin(), word.end(), '_', ' ');
    entries.push_back({word, s.values[i]});
  }
  return entries;
}

std::string range(const std::string& name) {
  const std::size_t dots = name.find("..");
  if (dots == std::string::npos) return name;
  return name.substr(0, dots) +
         (dots + 2 == name.size() ? " and more" : "–" + name.substr(dots + 2));
}

template <class Counts>
std::vector<Entry> sizes(const Counts& counts) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < size_bins; ++i)
    entries.push_back({range(size_bin_name(i)), counts[i]});
  return entries;
}

std::string cell(const Statistics& s, std::size_t depth, std::size_t width) {
  if (s.sizes[depth][width] == 0) return "<td class=\"never\">–</td>";
  const double worst = s.worst[depth][width];
  return fmt::format("<td class=\"heat h{}\"><b>{}</b><small>{}</small></td>", heat(worst),
                     page::share(worst), short_count(s.sizes[depth][width]));
}

/// Sizes up to the largest that any case had.
std::size_t end_of(const Statistics& s, bool by_depth) {
  std::size_t end = 0;
  for (std::size_t depth = 0; depth < size_bins; ++depth)
    for (std::size_t width = 0; width < size_bins; ++width)
      if (s.sizes[depth][width] > 0) end = std::max(end, (by_depth ? depth : width) + 1);
  return end;
}

}  // namespace

std::string worst_by_size(const Night& night) {
  const Statistics& s = night.statistics;
  const std::size_t depths = end_of(s, true), widths = end_of(s, false);
  if (depths == 0) return {};
  std::string head, rows;
  for (std::size_t d = 0; d < depths; ++d)  // there are few: columns that a phone has room for
    head += fmt::format("<th scope=\"col\">{}</th>", range(size_bin_name(d)));
  for (std::size_t w = 0; w < widths; ++w) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", range(size_bin_name(w)));
    for (std::size_t d = 0; d < depths; ++d) rows += cell(s, d, w);
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Worst share by "
      "size\"><table "
      "class=\"map\"><caption>Largest difference as a share of its bound, and below it the number "
      "of cases. "
      "Rows: width, as features of the widest value; columns: depth, as ops on the longest path. 1 "
      "is the "
      "bound.</caption><thead><tr><td></td>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      head, rows);
}

std::string coverage(const Night& night) {
  const Statistics& s = night.statistics;
  if (end_of(s, true) == 0) return {};
  const auto op = ops(s), value = values(s), batch = sizes(s.batches), slice = sizes(s.slices);
  std::string never;
  const auto add = [&never](const char* what, const std::string& words) {
    if (!words.empty()) never += fmt::format("<li>{}: {}</li>", what, words);
  };
  add("ops", missing(op));
  add("values", missing(value));
  add("batches of so many rows", missing(batch));
  add("so many slices", missing(slice));
  if (never.empty())
    never = "<p class=\"quiet\">Every op, value class and size was met.</p>\n";
  else
    never = "<div class=\"notice\" role=\"note\">" + icon("warn") +
            "<div><h3>Never met this night</h3><ul>" + never + "</ul></div></div>\n";
  return never + "<div class=\"columns\">" + bars("Cases with the op", op) +
         bars("Cases with such a value", value) + bars("Cases by rows of the batch", batch) +
         bars("Cases by slices", slice) + "</div>\n";
}

}  // namespace ulpfuzz::report::page
