#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "edits.hpp"
#include "index_range.hpp"
#include "widths.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::uint64_t most_rows = 4096, most_elements = 1 << 18;
constexpr std::size_t most_dimensions = 16;

void repeat_rows(Case& c, std::uint32_t times) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  std::vector<std::uint32_t> rows(std::size_t{batch} * times);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<std::uint32_t>(r % batch);
  c = select_rows(c, rows);
}

class Trade {
 public:
  Trade(const Case& c, const Focus& focus, Edits& edits) : c_(c), widths_(c, edits) {
    row_ = failing_row(focus);
    for (const Tensor& x : c.inputs) width_ += x.cols;
    for (const Draft::Class& d : widths_.classes()) {
      if (d.size > 1) wide_.push_back(d);
    }
  }

  // As if each matrix of features had been that many rows of the batch.
  void feature_rows() {
    for (const Draft::Class& d : wide_) {
      if (!d.rows || !affordable(d.size)) continue;
      std::vector<std::size_t> inputs;
      for (std::size_t i = 0; i < c_.inputs.size(); ++i) {
        if (widths_.draft().row_class(c_.network.inputs()[i]) == d.id) inputs.push_back(i);
      }
      widths_.offer(fmt::format("feature rows of {} -> batch rows", label(c_.network, d.node)),
                    {cut(d, 1)}, [inputs, m = d.size, row = row_](Case& result, const Case& from) {
                      repeat_rows(result, m);
                      if (row < 0) {
                        name_copies(result, from, m);
                      } else {
                        aim(result, row);
                      }
                      for (const std::size_t i : inputs)
                        spread(result.inputs[i], from.inputs[i], m);
                    });
    }
  }

  // `times` as many rows, for fewer features.
  void copies(std::uint32_t times) {
    if (!affordable(times)) return;
    std::vector<Widths::Cut> all;
    for (const Draft::Class& d : wide_) all.push_back(cut(d, 1));
    if (all.size() > 1) offer("one column everywhere", times, all);
    if (all.size() > most_dimensions) return;
    for (const Draft::Class& d : wide_) {
      std::uint32_t last = d.size;
      for (const std::uint32_t target : {1u, d.size / 2, d.size - 1}) {
        if (target == last || target == 0 || (target == 1 && last == 1)) continue;
        last = target;
        offer(fmt::format("{} {} of {}", target, d.rows ? "feature rows" : "columns",
                          label(c_.network, d.node)),
              times, {cut(d, target)});
      }
    }
  }

 private:
  // Where the failing element comes to lie once feature rows are batch rows.
  std::int64_t failing_row(const Focus& focus) const {
    const Shape shape = c_.output_node().shape;
    if (focus.row < 0 || focus.output < 0 || shape.size() == 0) return -1;
    return focus.output / shape.cols * static_cast<std::int64_t>(c_.batch()) + focus.row;
  }

  // A slice names all rows that its rows have become.
  static void name_copies(Case& c, const Case& from, std::uint32_t m) {
    const auto batch = static_cast<std::uint32_t>(from.batch());
    for (std::size_t s = 0; s < c.split.size(); ++s) {
      const std::vector<std::uint32_t> once = c.split[s].rows;
      for (std::uint32_t t = 1; t < m; ++t) {
        for (const std::uint32_t row : once) c.split[s].rows.push_back(t * batch + row);
      }
    }
  }

  static void aim(Case& c, std::int64_t row) {
    const bool one = c.split.size() == 1 && c.split[0].rows.size() == 1;
    if (one && row >= 0 && static_cast<std::size_t>(row) < c.batch())
      c.split[0].rows[0] = static_cast<std::uint32_t>(row);
  }

  bool affordable(std::uint32_t times) const {
    const std::uint64_t rows = std::uint64_t{c_.batch()} * times;
    return rows <= most_rows && rows * width_ <= most_elements;
  }

  static Widths::Cut cut(const Draft::Class& d, std::uint32_t target) {
    return {d.id, d.size, 0, target, true};
  }

  void offer(std::string_view what, std::uint32_t times, std::vector<Widths::Cut> cuts) {
    widths_.offer(fmt::format("{}, {} rows", what, c_.batch() * times), std::move(cuts),
                  [times](Case& result, const Case&) { repeat_rows(result, times); });
  }

  // Row t batch + b of `to` is feature row t of row b of `from`.
  static void spread(Tensor& to, const Tensor& from, std::uint32_t m) {
    for (std::uint32_t t = 0; t < m; ++t) {
      for (std::uint32_t b = 0; b < from.rows; ++b) {
        const auto source = from.row(b).subspan(std::size_t{t} * to.cols, to.cols);
        std::ranges::copy(source, to.row(std::size_t{t} * from.rows + b).begin());
      }
    }
  }

  const Case& c_;
  Widths widths_;
  std::vector<Draft::Class> wide_;
  std::uint64_t width_ = 1;
  std::int64_t row_ = -1;
};

// Each op acts on each number alone, whatever the shape.
bool is_elementwise(const Network& net) {
  const Shape shape = net.node(net.outputs().front()).shape;
  return std::ranges::all_of(net.nodes(), [&](const Node& node) {
    const bool op =
        is_leaf(node) || is_activation(node.op) || node.op == Op::add || node.op == Op::mul;
    return op && node.shape == shape;
  });
}

void feature_rows_to_columns(const Case& c, Edits& edits) {
  if (c.output_node().shape.rows < 2 || !is_elementwise(c.network)) return;
  edits.push_back({"feature rows -> columns", [&c] {
                     Case result = c;
                     result.network = Network();
                     for (Node node : c.network.nodes()) {
                       node.shape = {1, static_cast<std::uint32_t>(node.shape.size())};
                       result.network.append(node);
                     }
                     result.network.output(c.network.outputs().front());
                     for (Tensor& t : result.parameters) {
                       t.cols *= t.rows;
                       t.rows = 1;
                     }
                     return result;
                   }});
}

}  // namespace

// More rows than the failure needs go again at once, while their numbers still differ.
void traded_features(const Case& c, const Focus& focus, Edits& edits) {
  if (c.batch() == 0) return;
  Trade trade(c, focus, edits);
  feature_rows_to_columns(c, edits);
  const std::size_t before = edits.size();
  trade.feature_rows();
  for (const std::uint32_t times : {2u, 8u, 64u}) trade.copies(times);
  if (edits.size() > before) fewer_rows(c, focus, edits);
}

}  // namespace ulpfuzz::generators
