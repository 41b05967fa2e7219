#include "tightness/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tightness/published.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr std::size_t rows = 4;

struct Column {
  std::string name;
  Arithmetic arithmetic;
  Order order = Order::sequential;
  Op activation = Op::relu;
};

Arithmetic converted(Format operand, Rounding rounding) {
  Arithmetic a;
  a.operand = operand;
  a.conversion = rounding;
  a.outer_by_matmul = false;
  return a;
}

std::vector<Column> orders() {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < order_names.size(); ++i)
    columns.push_back({std::string(order_names[i]), {}, static_cast<Order>(i)});
  return columns;
}

std::vector<Column> conversions() {
  return {{"TF32 RNA", converted(Format::tf32, Rounding::nearest_away)},
          {"TF32 RZ", converted(Format::tf32, Rounding::toward_zero)},
          {"bf16", converted(Format::bf16, Rounding::nearest_even)}};
}

/// Fewer where each costs more: the ratio to the worst of many can only fall with their number.
std::size_t networks(std::size_t width, std::size_t depth, double factor) {
  const auto w = static_cast<double>(width);
  if (depth == 1) return static_cast<std::size_t>(std::clamp(2e7 / w * factor, 1.0, 12000.0));
  const double many = 5e7 / (w * w * static_cast<double>(depth));
  const double least = depth < 8 ? 6 : 2;
  return static_cast<std::size_t>(std::clamp(many, least, 2500.0) * factor + 1);
}

std::vector<float> inputs(std::size_t width, std::mt19937_64& random) {
  std::vector<float> x;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<float> row = normal_row(width, random);
    x.insert(x.end(), row.begin(), row.end());
  }
  return x;
}

std::span<const float> row_of(const std::vector<float>& x, std::size_t r) {
  const std::size_t width = x.size() / rows;
  return {x.data() + r * width, width};
}

void judge_outputs(const Perceptron& net, const std::vector<float>& x, const Column& column,
                   bounds::Analysis& analysis, Tightness& to) {
  PerceptronEvaluator evaluator(net, column.arithmetic);
  const bounds::OutputBounds all = analysis.output(0);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<float> y = evaluator.forward(row_of(x, r), column.order).h.back();
    const auto b = all.entry(r, y.size());
    for (std::size_t o = 0; o < y.size(); ++o)
      to.see(std::fabs(y[o] - b.reference[o]), b.sound[o], b.sigma[o]);
  }
}

/// Deep networks are bounded by the matrix adjoint, as long as that takes seconds.
void analyse(bounds::Analysis& analysis, const Perceptron& net, const std::vector<float>& x,
             const Arithmetic& arithmetic) {
  const float* const input = x.data();
  const bounds::AnalysisOptions options{.matrix_adjoint =
                                            net.layers > 3 && net.weight(0).cols <= 256};
  analysis.run(net.network, net.parameters, rows, {&input, 1}, arithmetic, {}, options);
  for (std::size_t r = 0; r < rows; ++r) analysis.refine(r);
}

Table forward_table(const std::string& name, const Effort& effort, std::size_t depth, bool bias,
                    const std::vector<Column>& columns,
                    Published (*published)(const std::string&, std::size_t)) {
  Table table{name, {}};
  bounds::Analysis analysis;
  for (const std::size_t width : effort.widths) {
    std::vector<Tightness> cells(columns.size());
    std::mt19937_64 random(effort.seed + width);
    for (std::size_t i = 0; i < networks(width, depth, effort.trials); ++i) {
      effort.progress(fmt::format("{}, width {}, network {}", name, width, i + 1));
      const Perceptron net(width, depth, bias, Op::relu, random);
      const std::vector<float> x = inputs(width, random);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c == 0 || columns[c].arithmetic != columns[c - 1].arithmetic)
          analyse(analysis, net, x, columns[c].arithmetic);
        judge_outputs(net, x, columns[c], analysis, cells[c]);
      }
    }
    for (std::size_t c = 0; c < columns.size(); ++c)
      table.cells.push_back({width, columns[c].name, cells[c], published(columns[c].name, width)});
  }
  return table;
}

/// Bounds of g h^T against the product of what was computed: one rounding each.
struct Outer {
  std::span<const float> g, h;
};

void judge_outer(const Outer& o, const bounds::Analysis& analysis, std::size_t output,
                 std::size_t entry, Tightness& to) {
  if (const auto b = analysis.outer(output, entry)) {
    for (std::size_t i = 0; i < o.g.size(); ++i)
      for (std::size_t j = 0; j < o.h.size(); ++j)
        to.see(
            std::fabs(o.g[i] * o.h[j] - b->g[i] * b->h[j]),
            b->per_size[i] * std::fabs(b->h[j]) + b->per_error[i] * b->h_error[j] + b->constant[i],
            INFINITY);
    return;
  }
  const auto b = analysis.entry_output(output, entry);
  for (std::size_t i = 0; i < o.g.size(); ++i)
    for (std::size_t j = 0; j < o.h.size(); ++j) {
      const std::size_t at = i * o.h.size() + j;
      to.see(std::fabs(o.g[i] * o.h[j] - b.reference[at]), b.sound[at], INFINITY);
    }
}

void judge_jacobian(const Perceptron& net, const std::vector<float>& x, const Column& column,
                    bounds::Analysis& analysis, Tightness& all, Tightness& upstream) {
  PerceptronEvaluator evaluator(net, column.arithmetic);
  for (std::size_t r = 0; r < rows; ++r) {
    const Activations at = evaluator.forward(row_of(x, r), column.order);
    for (std::size_t o = 0; o < 4; ++o) {
      const auto g = evaluator.backward(at, o, column.order);
      const std::size_t entry = r * 4 + o;
      for (std::size_t l = 0; l < net.layers; ++l) {
        const std::size_t first = 1 + net.weight_index(l);
        judge_outer({g[l], at.h[l]}, analysis, first, entry, all);
        const auto b = analysis.entry_output(first + 1, entry);
        for (std::size_t i = 0; i < g[l].size(); ++i)
          upstream.see(std::fabs(g[l][i] - b.reference[i]), b.sound[i], b.sigma[i]);
      }
    }
  }
}

double two_digits(double x) { return std::stod(fmt::format("{:.1e}", x)); }

bool looser(double measured, double printed) {
  return printed > 0 && two_digits(measured) > two_digits(printed);
}

}  // namespace

bool Cell::worse() const {
  return looser(measured.sound, published.sound) || looser(measured.probable, published.probable);
}

Table dot_table(const Effort& effort) {
  return forward_table("dot", effort, 1, false, orders(), published_dot);
}

Table network_table(const Effort& effort, std::size_t depth) {
  std::vector<Column> columns = orders();
  for (const Column& c : conversions()) columns.push_back(c);
  return forward_table(fmt::format("depth {}", depth), effort, depth, true, columns,
                       depth == 3 ? published_network : nothing_published);
}

Table jacobian_table(const Effort& effort) {
  std::vector<Column> columns = conversions();
  columns.erase(columns.begin() + 1);
  columns.insert(columns.begin(), Column{"sequential", {}});
  columns.push_back({"tanh TF32 RNA", columns[1].arithmetic, Order::sequential, Op::tanh});
  Table table{"jacobian", {}};
  bounds::Analysis analysis;
  std::vector<float> cotangents(rows * 16, 0);
  for (std::size_t i = 0; i < rows * 4; ++i) cotangents[i * 4 + i % 4] = 1;
  for (const std::size_t width : effort.widths) {
    for (const Column& column : columns) {
      // Elements of products of converted operands are kept one by one: too many beyond this.
      if (width > 1024 && column.arithmetic.operand != Format::fp32) continue;
      Cell cell{width, column.name, {}, published_jacobian(column.name, width)};
      Tightness upstream;
      std::mt19937_64 random(effort.seed + width);
      for (std::size_t i = 0; i < networks(width, 12, effort.trials); ++i) {
        effort.progress(fmt::format("jacobian, width {}, network {}", width, i + 1));
        const Perceptron net(width, 3, true, column.activation, random);
        const std::vector<float> x = inputs(width, random);
        const float* const given[] = {x.data(), cotangents.data()};
        analysis.run(vjp(net.network, 4), net.parameters, rows, given, column.arithmetic);
        judge_jacobian(net, x, column, analysis, cell.measured, upstream);
      }
      cell.measured.probable = upstream.probable;
      cell.measured.exceeded += upstream.exceeded;
      table.cells.push_back(cell);
    }
  }
  return table;
}

}  // namespace ulpfuzz::bench
