#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "html_numbers.hpp"
#include "html_text.hpp"
#include "picture_bars.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

constexpr double box_width = 84, box_height = 46, gap = 17, lane_gap = 18;
constexpr double above = 18, below = 14;  // of a band: room for a mark, and for arrows that turn
constexpr double turn = 5;                // radius of their corners

std::string shape_text(Shape s) {
  return s.rows == 1 ? fmt::format("[{}]", s.cols) : fmt::format("[{}, {}]", s.rows, s.cols);
}

class Picture {
 public:
  Picture(const Case& c, const PictureOptions& options)
      : case_(c), options_(options), sketch_(sketch(c.network, options.marked)) {
    place_bands();
  }

  std::string run() {
    for (std::size_t i = 0; i < sketch_.arrows.size(); ++i) add_arrow(i);
    for (const Box& box : sketch_.boxes) add_box(box);
    const Bars rows = bars(case_, {gap, height_ + 2, width_ - 2 * gap}, options_.row);
    svg_ += rows.svg;
    const std::string title = escape(title_text());
    return fmt::format(
        "<svg class=\"net {}\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "height=\"{}\"><title>{}</title>{}</svg>\n",
        options_.name, title, pixels(width_), pixels(rows.bottom + 4), pixels(width_),
        pixels(rows.bottom + 4), title, svg_);
  }

 private:
  /// Columns go from left to right, then on in the next band below.
  std::size_t band(const Box& b) const { return b.column / options_.columns; }
  double left(const Box& b) const {
    return gap + static_cast<double>(b.column % options_.columns) * (box_width + gap);
  }
  double top(const Box& b) const {
    return tops_[band(b)] + static_cast<double>(b.lane) * (box_height + lane_gap);
  }
  double middle(const Box& b) const { return top(b) + box_height / 2; }

  void place_bands() {
    const std::size_t across = std::clamp<std::size_t>(sketch_.columns, 3, options_.columns);
    width_ = gap + static_cast<double>(across) * (box_width + gap);
    std::vector<std::size_t> lanes((sketch_.columns + options_.columns - 1) / options_.columns, 1);
    for (const Box& b : sketch_.boxes) lanes[band(b)] = std::max(lanes[band(b)], b.lane + 1);
    for (const std::size_t n : lanes) {
      tops_.push_back(height_ + above);
      bottoms_.push_back(tops_.back() + static_cast<double>(n) * (box_height + lane_gap) -
                         lane_gap);
      height_ = bottoms_.back() + below;
    }
  }

  void add_arrow(std::size_t index) {
    const Box& from = sketch_.boxes[sketch_.arrows[index].from];
    const Box& to = sketch_.boxes[sketch_.arrows[index].to];
    const double x1 = left(from) + box_width, y1 = middle(from), x2 = left(to), y2 = middle(to);
    std::string path;
    if (band(from) == band(to) && to.column == from.column + 1)
      path = fmt::format("M{} {}C{} {} {} {} {} {}", pixels(x1), pixels(y1), pixels(x1 + gap / 2),
                         pixels(y1), pixels(x2 - gap / 2), pixels(y2), pixels(x2), pixels(y2));
    else
      path = around(x1, y1, x2, y2, bottoms_[band(from)] + below / 2, index);
    svg_ +=
        fmt::format("<path class=\"wire\" d=\"{}\"/><path class=\"tip\" d=\"M{} {}l-5 -3v6z\"/>",
                    path, pixels(x2), pixels(y2));
  }

  /// Right, down to below the band, along it, up or down to where it ends: no box is in the way.
  static std::string around(double x1, double y1, double x2, double y2, double y,
                            std::size_t index) {
    const double shift = static_cast<double>(index % 3) * 2 - 2;  // tells neighbours apart
    const double out = x1 + gap / 2 + shift, in = x2 - gap / 2 - shift;
    y += shift;
    const double way = in > out ? turn : -turn, end = y2 > y ? turn : -turn;
    return fmt::format("M{} {}H{}Q{} {} {} {}V{}Q{} {} {} {}H{}Q{} {} {} {}V{}Q{} {} {} {}H{}",
                       pixels(x1), pixels(y1), pixels(out - turn), pixels(out), pixels(y1),
                       pixels(out), pixels(y1 + turn), pixels(y - turn), pixels(out), pixels(y),
                       pixels(out + way), pixels(y), pixels(in - way), pixels(in), pixels(y),
                       pixels(in), pixels(y + end), pixels(y2 - end), pixels(in), pixels(y2),
                       pixels(in + turn), pixels(y2), pixels(x2));
  }

  void add_box(const Box& b) {
    const double x = left(b), y = top(b);
    const bool marked = b.left_out == 0 && options_.marked == b.first;
    const Node& node = case_.network.node(b.first);
    const char* kind = b.left_out > 0         ? "fold"
                       : marked               ? "first"
                       : node.op == Op::input ? "in"
                                              : "op";
    svg_ +=
        fmt::format("<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
                    kind, pixels(x), pixels(y), pixels(box_width), pixels(box_height));
    if (marked) add_text("mark", x + box_width / 2, y - 5, "first to differ");
    if (b.left_out > 0) {
      add_text("name", x + box_width / 2, y + 20, "…");
      add_text("size", x + box_width / 2, y + 34,
               fmt::format("{} more", counted(b.left_out, "op")));
    } else {
      add_node(node, x + box_width / 2, y);
    }
    svg_ += "</g>";
  }

  void add_node(const Node& node, double x, double y) {
    const std::string extra = extra_text(node);
    const double first = extra.empty() ? 20 : 15;
    const std::string word = node_name(node);
    add_text(word.size() > 12 ? "name long" : "name", x, y + first, word);
    add_text("size", x, y + first + 14, size_text(node));
    if (!extra.empty()) add_text("size", x, y + first + 26, extra);
  }

  void add_text(const char* kind, double x, double y, const std::string& words) {
    svg_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", kind, pixels(x),
                        pixels(y), escape(words));
  }

  std::string node_name(const Node& node) const {
    if (node.op == Op::derivative) return fmt::format("{}'", name(node.of));
    if (node.op == Op::input && case_.network.inputs().size() > 1)
      return fmt::format("input {}", node.index);
    return std::string(name(node.op));
  }

  std::string size_text(const Node& node) const {
    if (node.op != Op::linear) return shape_text(node.shape);
    const Shape in = case_.network.node(node.args[0]).shape;
    const std::string rows = in.rows == 1 ? "" : fmt::format("{} × ", in.rows);
    return fmt::format("{}{} → {}", rows, in.cols, node.shape.cols);
  }

  /// Operands that are parameters; of linear the weight goes without saying.
  std::string extra_text(const Node& node) const {
    if (node.op == Op::linear) return node.arity == 3 ? "+ bias" : "";
    for (const NodeId id : node.operands())
      if (case_.network.node(id).op == Op::parameter)
        return fmt::format("with p{} {}", case_.network.node(id).index,
                           shape_text(case_.network.node(id).shape));
    return {};
  }

  std::string title_text() const {
    std::string text = describe(case_);
    constexpr std::size_t most = 400;
    if (text.size() > most) text = text.substr(0, most) + " ...";
    if (options_.marked)
      text +=
          fmt::format("; first op to differ: {}", name(case_.network.node(*options_.marked).op));
    return text;
  }

  const Case& case_;
  const PictureOptions& options_;
  Sketch sketch_;
  double width_ = 0, height_ = 0;
  std::vector<double> tops_, bottoms_;  // of bands
  std::string svg_;
};

}  // namespace

std::string picture(const Case& c, const PictureOptions& options) {
  return Picture(c, options).run();
}

}  // namespace ulpfuzz::report::page
