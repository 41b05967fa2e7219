#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr double margin = 24;
constexpr double title_height = 56;
constexpr double tallest = 900;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

/// Leaves stand on a line in the order in which the tree reaches them; a sum stands above its parts
/// by one step more than the highest of them.
struct Drawing {
  Drawing(const SumTree& t, double text_width) : tree(t), x(t.nodes.size()), level(t.nodes.size()) {
    terms = leaves(tree);
    column = std::clamp(1200.0 / static_cast<double>(std::max<std::size_t>(terms, 1)), 9.0, 34.0);
    place();
    const double levels = std::max(1.0, level[tree.root]);
    step = std::clamp(tallest / levels, 2.0, 34.0);
    width = 2 * margin + std::max(column * static_cast<double>(terms), text_width);
    height = title_height + step * levels + 2 * margin + 18;
  }

  void place() {
    double next = 0;
    std::vector<std::size_t> stack{tree.root};
    while (!stack.empty()) {  // not by recursion: a chain may be long
      const std::size_t id = stack.back();
      stack.pop_back();
      const auto& children = tree.nodes[id].children;
      if (children.empty()) x[id] = margin + column * (next++ + 0.5);
      std::copy(children.rbegin(), children.rend(), std::back_inserter(stack));
    }
    for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
      const auto& children = tree.nodes[id].children;
      if (children.empty()) continue;
      double sum = 0;
      for (const std::size_t c : children) {
        sum += x[c];
        level[id] = std::max(level[id], level[c] + 1);
      }
      x[id] = sum / static_cast<double>(children.size());
    }
  }

  double y(std::size_t id) const { return height - margin - 18 - step * level[id]; }

  const SumTree& tree;
  std::vector<double> x;
  std::vector<double> level;
  std::size_t terms = 0;
  double column = 0, step = 0, width = 0, height = 0;
};

void draw_edges(const Drawing& d, std::string& out) {
  out += "<g class=\"edge\">\n";
  for (std::size_t id = 0; id < d.tree.nodes.size(); ++id)
    for (const std::size_t c : d.tree.nodes[id].children)
      fmt::format_to(std::back_inserter(out),
                     "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", d.x[c], d.y(c),
                     d.x[c], d.y(id), d.x[id], d.y(id));
  out += "</g>\n";
}

void draw_nodes(const Drawing& d, std::string& out) {
  const double size = std::min(12.0, d.column * 0.62);
  for (std::size_t id = 0; id < d.tree.nodes.size(); ++id) {
    const auto& node = d.tree.nodes[id];
    const bool bias = d.tree.bias && node.term == d.terms - 1;
    if (node.children.empty())
      fmt::format_to(
          std::back_inserter(out),
          "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text>\n",
          bias ? "bias" : "term", d.x[id], d.y(id) + 14, size,
          bias ? "b" : std::to_string(node.term));
    else
      fmt::format_to(std::back_inserter(out),
                     "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n",
                     node.children.size() > 2 ? "unit" : "sum", d.x[id], d.y(id),
                     std::min(4.0, 0.3 * d.step + 1));
  }
}

}  // namespace

std::string to_svg(const SumTree& tree, const std::string& title) {
  if (!tree.revealed) {
    SumTree empty;
    empty.nodes.resize(1);
    empty.revealed = true;
    return to_svg(empty, title + ": " + describe(tree));
  }
  const std::string words = describe(tree);
  // Letters are about half as wide as high.
  const Drawing d(tree, std::max(8.3 * static_cast<double>(title.size()),
                                 6.6 * static_cast<double>(words.size())));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n"
      "<title>{2}</title>\n",
      d.width, d.height, escaped(title));
  out +=
      "<style>svg{background:#fff;color:#1b1f24}.edge{fill:none;stroke:#8a94a0;stroke-width:1.2}"
      ".sum{fill:#2563a8}.unit{fill:#b4540a}text{fill:currentColor}.term,.bias{text-anchor:middle}"
      ".bias{fill:#b4540a;font-weight:bold}.note{fill:#5b6570}"
      "@media(prefers-color-scheme:dark){svg{background:#14171b;color:#e6e9ed}"
      ".edge{stroke:#66707c}.sum{fill:#6cabed}.unit,.bias{fill:#f0a35e}.note{fill:#98a2ad}}"
      "</style>\n";
  fmt::format_to(std::back_inserter(out),
                 "<text x=\"{0}\" y=\"22\" font-size=\"15\" font-weight=\"600\">{1}</text>\n"
                 "<text class=\"note\" x=\"{0}\" y=\"41\" font-size=\"12\">{2}</text>\n",
                 margin, escaped(title), escaped(words));
  draw_edges(d, out);
  draw_nodes(d, out);
  return out + "</svg>\n";
}

}  // namespace ulpfuzz::probe
