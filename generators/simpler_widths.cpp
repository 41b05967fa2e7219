#include <fmt/format.h>

#include <algorithm>

#include "edits.hpp"
#include "widths.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::size_t most_edits = 4096;

std::string where(const Network& net, const Draft::Class& d) {
  return fmt::format("{} of {} {}", d.rows ? "feature rows" : "columns", name(net.node(d.node).op),
                     d.node);
}

/// Both dimensions of weights, and the two of a linear layer that differ.
std::vector<std::pair<Draft::Class, Draft::Class>> partners(const Widths& widths) {
  std::vector<std::pair<Draft::Class, Draft::Class>> result;
  const auto& nodes = widths.draft().nodes();
  const auto of = [&](std::uint32_t id) {
    return std::ranges::find(widths.classes(), id, &Draft::Class::id);
  };
  for (NodeId id = 0; id < nodes.size() && result.size() < 16; ++id) {
    if (nodes[id].op != Op::parameter) continue;
    const auto a = of(widths.draft().column_class(id)), b = of(widths.draft().row_class(id));
    const auto none = widths.classes().end();
    if (a == none || b == none || a == b || std::min(a->size, b->size) < 2) continue;
    const auto known = [&](const auto& pair) {
      return pair.first.id == a->id && pair.second.id == b->id;
    };
    if (std::ranges::none_of(result, known)) result.emplace_back(*a, *b);
  }
  return result;
}

void all_at_once(Widths& widths) {
  std::uint32_t most = 0, large = 0;
  for (const Draft::Class& d : widths.classes()) {
    most = std::max(most, d.size);
    large += d.size > 1 ? 1 : 0;
  }
  if (large < 2) return;
  for (const std::uint32_t target : smaller_sizes(most)) {
    std::vector<Widths::Cut> cuts;
    for (const Draft::Class& d : widths.classes()) {
      if (d.size > target) cuts.push_back({d.id, d.size, 0, target, true});
    }
    widths.offer(fmt::format("all widths to {}", target), std::move(cuts));
  }
}

// Square weights stay square.
void two_at_once(const Case& c, Widths& widths) {
  for (const auto& [a, b] : partners(widths)) {
    for (const std::uint32_t target : smaller_sizes(std::max(a.size, b.size))) {
      std::vector<Widths::Cut> cuts;
      for (const Draft::Class& d : {a, b}) {
        if (d.size > target) cuts.push_back({d.id, d.size, 0, target, true});
      }
      widths.offer(fmt::format("{} {} and {}", target, where(c.network, a), where(c.network, b)),
                   std::move(cuts));
    }
    for (std::uint32_t i = 0; a.size == b.size && i < std::min(a.size, 16u); ++i) {
      widths.offer(
          fmt::format("drop {} of the {} and {}", i, where(c.network, a), where(c.network, b)),
          {{a.id, a.size, i, i + 1, false}, {b.id, b.size, i, i + 1, false}});
    }
  }
}

// At most `quota` edits of one dimension.
void one(const Case& c, const Draft::Class& d, std::size_t quota, Widths& widths) {
  const std::string place = where(c.network, d);
  const auto offer = [&](std::string name, const Widths::Cut& cut) {
    if (quota == 0) return;
    --quota;
    widths.offer(std::move(name), {cut});
  };
  if (widths.may_be_empty(d) && (!widths.is_output(d) || d.size == 1))
    offer(fmt::format("no {}", place), {d.id, d.size, 0, 0, true});
  for (const std::uint32_t target : smaller_sizes(d.size))
    offer(fmt::format("keep {} {}", target, place), {d.id, d.size, 0, target, true});
  chunks(d.size, 16, 32, [&](std::uint32_t first, std::uint32_t last) {
    offer(fmt::format("drop {}..{} of the {} {}", first, last - 1, d.size, place),
          {d.id, d.size, first, last, false});
  });
}

}  // namespace

void smaller_widths(const Case& c, const Focus&, Edits& edits) {
  Widths widths(c, edits);
  all_at_once(widths);
  two_at_once(c, widths);
  const std::size_t quota = most_edits / std::max<std::size_t>(widths.classes().size(), 1);
  for (const bool inner : {false, true}) {
    for (const Draft::Class& d : widths.classes()) {
      if (!widths.is_output(d) && widths.is_inner(d) == inner) one(c, d, quota, widths);
    }
  }
}

void fewer_outputs(const Case& c, const Focus& focus, Edits& edits) {
  Widths widths(c, edits);
  const NodeId id = c.network.outputs().front();
  const Shape shape = c.network.node(id).shape;
  const bool known = focus.output >= 0 && static_cast<std::size_t>(focus.output) < shape.size();
  const auto flat = static_cast<std::uint32_t>(known ? focus.output : 0);
  for (const Draft::Class& d : widths.classes()) {
    if (!widths.is_output(d)) continue;
    const bool columns = d.id == widths.draft().column_class(id);
    const std::uint32_t cols =
        std::max(shape.cols, 1u);  // a network may have outputs of no columns
    const std::uint32_t at = columns ? flat % cols : flat / cols;
    if (known && at > 0) {
      widths.offer(fmt::format("only output {} {}", columns ? "column" : "row", at),
                   {{d.id, d.size, at, at + 1, true}});
    }
    one(c, d, most_edits, widths);
  }
}

}  // namespace ulpfuzz::generators
