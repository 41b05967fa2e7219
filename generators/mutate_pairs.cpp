// Changes of numbers in two places at once, which cancel or make up for each other.
#include <algorithm>
#include <cmath>

#include "mutate_families.hpp"
#include "mutate_target.hpp"

namespace ulpfuzz::generators {
namespace {

std::size_t other_column(const Tensor& t, std::size_t col, Source& source) {
  if (source.chance(60)) return (col + 1) % t.cols;
  return source.below(t.cols);
}

// Terms `from` and `to` of the sums of a row become opposite.
void oppose(std::span<float> row, std::size_t from, std::size_t to, float factor) {
  row[to] = -row[from] * factor;
}

// Of a linear map whose operand is an input, two terms of every sum: equal weights, opposite
// inputs.
bool oppose_terms(Case& c, const Node& linear, Source& source) {
  const Node& operand = c.network.node(linear.args[0]);
  const Node& weight = c.network.node(linear.args[1]);
  if (operand.op != Op::input || operand.shape.rows != 1 || weight.op != Op::parameter)
    return false;
  Tensor& x = c.inputs[operand.index];
  Tensor& w = c.parameters[weight.index];
  if (w.cols < 2 || x.rows == 0) return false;
  const std::size_t from = source.below(w.cols), to = other_column(w, from, source);
  if (from == to) return false;
  for (std::size_t r = 0; r < w.rows; ++r) w.row(r)[to] = w.row(r)[from];
  if (source.chance(50)) {
    oppose(x.row(source.below(x.rows)), from, to, 1);
  } else {
    for (std::size_t r = 0; r < x.rows; ++r) oppose(x.row(r), from, to, 1);
  }
  return true;
}

// Parameter i feeds parameter k: as many columns as i gives rows.
std::vector<std::size_t> followers(const Case& c, std::size_t i) {
  std::vector<std::size_t> result;
  for (std::size_t k = i + 1; k < c.parameters.size(); ++k)
    if (c.parameters[k].cols == c.parameters[i].rows && c.parameters[k].rows > 0)
      result.push_back(k);
  return result;
}

void scale_row(Tensor& t, std::size_t row, int power) {
  for (float& x : t.row(row)) x = std::scalbn(x, power);
}

void scale_column(Tensor& t, std::size_t col, int power) {
  for (std::size_t r = 0; r < t.rows; ++r) t.row(r)[col] = std::scalbn(t.row(r)[col], power);
}

}  // namespace

Case cancelling_terms(const Case& c, Source& source, const Limits&) {
  Case result = c;
  std::vector<const Node*> maps;
  for (const Node& node : result.network.nodes())
    if (node.op == Op::linear) maps.push_back(&node);
  if (!maps.empty() && source.chance(50) &&
      oppose_terms(result, *maps[source.below(maps.size())], source))
    return result;
  Tensor* t = any_tensor(result, source);
  if (t == nullptr || t->cols < 2) return result;
  const std::size_t from = source.below(t->cols), to = other_column(*t, from, source);
  // A little off, so that the rest is as small as rounding.
  const float factor =
      source.chance(50) ? 1.0f : 1 + std::ldexp(1.0f, -static_cast<int>(source.between(10, 23)));
  const bool all = source.chance(40);
  const std::size_t row = source.below(t->rows);
  for (std::size_t r = 0; r < t->rows; ++r)
    if (all || r == row) oppose(t->row(r), from, to, factor);
  return result;
}

Case moved_scale(const Case& c, Source& source, const Limits&) {
  Case result = c;
  if (c.parameters.empty()) return result;
  const std::size_t i = source.below(c.parameters.size());
  const auto after = followers(c, i);
  Tensor& here = result.parameters[i];
  if (after.empty() || here.data.empty()) return result;
  Tensor& there = result.parameters[after[source.below(after.size())]];
  const int power = static_cast<int>(source.between(1, source.chance(80) ? 6 : 60)) *
                    (source.chance(50) ? 1 : -1);
  const bool all = source.chance(40);
  const std::size_t only = source.below(here.rows);
  for (std::size_t r = 0; r < here.rows; ++r) {
    if (!all && r != only) continue;
    scale_row(here, r, power);
    scale_column(there, r, -power);
  }
  return result;
}

}  // namespace ulpfuzz::generators
