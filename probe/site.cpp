#include "site.hpp"

#include <fmt/format.h>

namespace ulpfuzz::probe {
namespace {

std::uint32_t u32(std::size_t n) { return static_cast<std::uint32_t>(n); }

bool sums_over_batch(SumKind kind) {
  return kind == SumKind::outer_sum || kind == SumKind::batch_sum;
}

std::string_view word(SumKind kind) {
  switch (kind) {
    case SumKind::linear:
      return "linear";
    case SumKind::linear_bias:
      return "linear+bias";
    case SumKind::matmul:
      return "matmul a b";
    case SumKind::matmul_tb:
      return "matmul a b^T";
    case SumKind::matmul_ta:
      return "matmul a^T b";
    case SumKind::matmul_tt:
      return "matmul a^T b^T";
    case SumKind::matmul_rows:
      return "matmul, both per row";
    case SumKind::outer_sum:
      return "outer_sum";
    case SumKind::batch_sum:
      return "batch_sum";
    case SumKind::sum_rows:
      return "sum_rows";
  }
  return "";
}

}  // namespace

std::string describe(const Place& p) {
  if (sums_over_batch(p.kind)) return fmt::format("{} over {} rows", word(p.kind), p.k);
  std::string text = fmt::format("{} {} -> {}, batch {}", word(p.kind), p.k, p.width, p.batch);
  if (p.row > 0) text += fmt::format(", row {}", p.row);
  if (p.column > 0) text += fmt::format(", column {}", p.column);
  return text;
}

Site::Site(const Subject& subject, const Place& place) : subject_(subject), place_(place) {
  if (sums_over_batch(place.kind)) place_.batch = place.k;
  build();
}

bool Site::multiplies() const {
  return place_.kind != SumKind::batch_sum && place_.kind != SumKind::sum_rows;
}

std::optional<std::string> Site::unsupported() const { return subject_.unsupported(network_); }

// In `inputs_` and `parameters_` the left factors are those of the first input.
void Site::build() {
  const std::uint32_t k = u32(place_.k);
  const std::uint32_t n = u32(place_.width);
  const SumKind kind = place_.kind;
  const bool ta = kind == SumKind::matmul_ta || kind == SumKind::matmul_tt;
  const bool tb = kind == SumKind::matmul_tb || kind == SumKind::matmul_tt;
  Network& net = network_;
  NodeId result = 0;
  if (kind == SumKind::linear || kind == SumKind::linear_bias) {
    const NodeId x = net.input(k);
    const NodeId w = net.parameter(n, k);
    result = kind == SumKind::linear ? net.linear(x, w) : net.linear(x, w, net.parameter(1, n));
  } else if (kind == SumKind::matmul_rows) {
    const NodeId a = net.input(k);
    result = net.matmul(a, net.input(Shape{k, n}));
  } else if (kind == SumKind::outer_sum) {
    const NodeId a = net.input(n);
    result = net.outer_sum(a, net.input(n));
  } else if (kind == SumKind::batch_sum) {
    result = net.batch_sum(net.input(n));
  } else if (kind == SumKind::sum_rows) {
    result = net.sum_rows(net.input(Shape{k, n}));
  } else {
    const NodeId a = net.input(ta ? Shape{k, 1} : Shape{1, k});
    result = net.matmul(a, tb ? net.parameter(n, k) : net.parameter(k, n), ta, tb);
  }
  net.output(result);
  for (const NodeId id : net.parameters())
    parameters_.emplace_back(net.node(id).shape.rows, net.node(id).shape.cols);
  for (const NodeId id : net.inputs())
    inputs_.emplace_back(place_.batch * net.node(id).shape.size());
  scratch_.resize(terms());
}

void Site::fill(std::span<const Term> terms) {
  const auto [kind, k, n, batch, row, column] = place_;
  for (std::size_t i = 0; i < k; ++i) {
    const Term t = terms[i];
    switch (kind) {
      case SumKind::outer_sum:
        inputs_[0][i * n + row] = t.left;
        inputs_[1][i * n + column] = t.right;
        break;
      case SumKind::batch_sum:
        inputs_[0][i * n + column] = t.left * t.right;
        break;
      case SumKind::sum_rows:
        inputs_[0][(row * k + i) * n + column] = t.left * t.right;
        break;
      case SumKind::matmul_rows:
        inputs_[0][row * k + i] = t.left;
        inputs_[1][(row * k + i) * n + column] = t.right;
        break;
      case SumKind::matmul:
      case SumKind::matmul_ta:
        inputs_[0][row * k + i] = t.left;
        parameters_[0].data[i * n + column] = t.right;
        break;
      default:
        inputs_[0][row * k + i] = t.left;
        parameters_[0].data[column * k + i] = t.right;
    }
  }
  if (has_bias()) parameters_[1].data[column] = terms[k].left * terms[k].right;
}

float Site::ask(std::span<const Term> terms) {
  fill(terms);
  std::vector<const float*> pointers;
  for (const auto& input : inputs_) pointers.push_back(input.data());
  const Outputs out = caller_.run(subject_, network_, parameters_, place_.batch, pointers);
  const std::size_t row = place_.kind == SumKind::batch_sum ? 0 : place_.row;
  return out.values[0][row * place_.width + place_.column];
}

float Site::ask(std::initializer_list<At> few) {
  scratch_.assign(terms(), Term{});
  for (const At& at : few) scratch_[at.position] = at.term;
  return ask(scratch_);
}

}  // namespace ulpfuzz::probe
