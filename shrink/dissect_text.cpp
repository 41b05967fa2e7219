#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "ulpfuzz/shrink/dissect.hpp"

namespace ulpfuzz {
namespace {

/// A name with ranges for its numbers: "input 0[0..3][0..1]".
struct Pattern {
  struct Range {
    std::string before;
    std::uint32_t first = 0, last = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  std::string tail;

  explicit Pattern(const std::string& name) {
    const char* at = name.data();
    const char* const end = at + name.size();
    while (true) {
      const char* digit = std::find_if(at, end, [](char c) { return c >= '0' && c <= '9'; });
      if (digit == end) break;
      Range r{std::string(at, digit), 0, 0};
      at = std::from_chars(digit, end, r.first).ptr;
      r.last = r.first;
      ranges.push_back(std::move(r));
    }
    tail = std::string(at, end);
  }

  std::string text() const {
    std::string text;
    for (const Range& r : ranges) {
      const bool several = r.first != r.last;
      const bool word = r.before == "row " || r.before == "slice ";
      text += several && word ? r.before.substr(0, r.before.size() - 1) + "s " : r.before;
      text += several ? fmt::format("{}..{}", r.first, r.last) : fmt::format("{}", r.first);
    }
    return text + tail;
  }
  bool several() const {
    return std::ranges::any_of(ranges, [](const Range& r) { return r.first != r.last; });
  }

  /// Takes in a pattern that goes on in the number at `place` from the end and is the same else.
  bool take(const Pattern& next, std::size_t place) {
    if (ranges.size() != next.ranges.size() || tail != next.tail || place >= ranges.size())
      return false;
    const std::size_t at = ranges.size() - 1 - place;
    if (next.ranges[at].first != ranges[at].last + 1) return false;
    Pattern joined = *this;
    joined.ranges[at].first = next.ranges[at].first;
    joined.ranges[at].last = next.ranges[at].last;
    if (joined.ranges != next.ranges) return false;
    ranges[at].last = next.ranges[at].last;
    return true;
  }
};

/// One line: components next to each other with the same answer.
struct Line {
  Pattern who;
  Component component;

  bool take(const Line& next, std::size_t place) {
    const Component& a = component;
    const Component& b = next.component;
    return a.weight == b.weight && a.tried == b.tried && a.failed == b.failed &&
           who.take(next.who, place);
  }
};

std::vector<Line> lines(const std::vector<Component>& components) {
  std::vector<Line> result;
  for (const Component& c : components) result.push_back({Pattern(c.name), c});
  for (std::size_t place = 0; place < 2; ++place) {
    std::vector<Line> joined;
    for (Line& l : result)
      if (joined.empty() || !joined.back().take(l, place)) joined.push_back(std::move(l));
    result = std::move(joined);
  }
  return result;
}

std::string_view noun(std::string_view name) {
  if (name.starts_with("row ")) return "rows";
  if (name.starts_with("slice ")) return "slices";
  if (name.starts_with("bias ")) return "choices";
  return name.find('[') == std::string_view::npos ? "choices" : "numbers";
}

std::string layers(const Dissection& d) {
  std::string text;
  bool failed = false;
  for (const LayerShare& l : d.layers) {
    text += fmt::format("{}{}: ", text.empty() ? "  share by op: " : ", ", l.op);
    if (l.outcome == Outcome::vacuous || l.outcome == Outcome::skip)
      text += name(l.outcome);
    else
      text += fmt::format("{:.3g}", l.share);
    if (l.outcome == Outcome::fail && !failed) {
      text += " (first to fail)";
      failed = true;
    }
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string_view name(Weight weight) {
  switch (weight) {
    case Weight::critical:
      return "critical";
    case Weight::irrelevant:
      return "irrelevant";
    case Weight::sensitive:
      break;
  }
  return "sensitive";
}

std::string to_text(const Dissection& d) {
  std::string text;
  const std::vector<Line> all = lines(d.components);
  std::size_t width = 0;
  for (const Line& l : all) width = std::max(width, l.who.text().size());
  for (const Line& l : all) {
    const Component& c = l.component;
    std::string who = l.who.text();
    who.resize(width, ' ');
    text += fmt::format("  {}  {:<10}  {} of {} other {} fail alike{}\n", who, name(c.weight),
                        c.failed, c.tried, noun(c.name), l.who.several() ? ", each" : "");
  }
  if (d.neighbour)
    text += fmt::format("  nearest passing case: {}\n",
                        d.other_sizes.empty()
                            ? d.neighbour->edit
                            : fmt::format("{} ({})", d.other_sizes, d.neighbour->edit));
  text += layers(d);
  if (!d.first_op.empty()) text += fmt::format("  the paths part at: {}\n", d.first_op);
  return text;
}

}  // namespace ulpfuzz
