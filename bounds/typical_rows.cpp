#include <algorithm>
#include <array>
#include <cmath>

#include "rules.hpp"
#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {
namespace {

/// Of the sound radius that a row function gives exact operands, what an honest evaluation makes:
/// measured for rows of about eight (docs/bounds.md); longer ones make less.
double share_of_radius(Op op) {
  if (op == Op::softmax_grad) return 0.08;
  return op == Op::layer_norm || op == Op::rms_norm ? 0.06 : 0.03;
}
/// Of softmax, whose `local` is no more than what its last operations make: in units of u s, rms
/// over 4 to 32 columns.
constexpr double softmax_rounding = 1.0;

double square(double x) { return x * x; }

struct Row {
  Op op;
  double alpha;
  std::size_t n;
};

void softmax(const double* x, std::size_t n, double* y) {
  const double top = *std::max_element(x, x + n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += y[i] = std::exp(x[i] - top);
  for (std::size_t i = 0; i < n; ++i) y[i] /= total;
}

// y = (x - mean) r; returns r.
double norm(const Row& row, const double* x, bool centred, double* y) {
  const double n = static_cast<double>(row.n);
  double mean = 0, square_mean = 0;
  for (std::size_t i = 0; i < row.n && centred; ++i) mean += x[i] / n;
  for (std::size_t i = 0; i < row.n; ++i) square_mean += square(x[i] - mean) / n;
  const double r = 1 / std::sqrt(square_mean + row.alpha);
  for (std::size_t i = 0; i < row.n; ++i) y[i] = (x[i] - mean) * r;
  return r;
}

// x: the operand of a norm or softmax; of a gradient the second one, and v the first.
void evaluate(const Row& row, const double* v, const double* x, double* y) {
  const double n = static_cast<double>(row.n);
  if (row.op == Op::softmax) return softmax(x, row.n, y);
  if (row.op == Op::layer_norm || row.op == Op::rms_norm) {
    norm(row, x, row.op == Op::layer_norm, y);
    return;
  }
  double dot = 0, sum = 0;
  if (row.op == Op::softmax_grad) {
    for (std::size_t i = 0; i < row.n; ++i) dot += v[i] * x[i];
    for (std::size_t i = 0; i < row.n; ++i) y[i] = x[i] * (v[i] - dot);
    return;
  }
  const bool centred = row.op == Op::layer_norm_grad;
  const double r = norm(row, x, centred, y);
  for (std::size_t i = 0; i < row.n; ++i) {
    dot += v[i] * y[i] / n;
    if (centred) sum += v[i] / n;
  }
  for (std::size_t i = 0; i < row.n; ++i) y[i] = r * (v[i] - sum - y[i] * dot);
}

// Adds what the variances of one operand bring, by central differences: n evaluations of n.
void bring(const Row& row, std::vector<double>& v, std::vector<double>& x,
           std::vector<double>& moved, const double* variance, double* to) {
  std::vector<double> above(row.n), below(row.n);
  double size = 0;
  for (const double m : moved) size = std::max(size, std::fabs(m));
  const double h = size > 0 ? 0x1p-17 * size : 0x1p-17;
  for (std::size_t j = 0; j < row.n; ++j) {
    if (variance[j] == 0) continue;
    const double at = moved[j];
    moved[j] = at + h;
    evaluate(row, v.data(), x.data(), above.data());
    moved[j] = at - h;
    evaluate(row, v.data(), x.data(), below.data());
    moved[j] = at;
    for (std::size_t i = 0; i < row.n; ++i)
      to[i] += square((above[i] - below[i]) / (2 * h)) * variance[j];
  }
}

// Radii of a row that is exact: all of them own roundings.
std::vector<double> own_radii(const TypicalNode& n, const std::vector<double>& first,
                              const std::vector<double>& second) {
  const Shape shape{1, n.node.shape.cols};
  std::array<Value, 2> x;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& from = i == 0 ? first : second;
    x[i].reset(1, shape);
    x[i].zero_errors();
    std::copy(from.begin(), from.end(), x[i].value.begin());
  }
  Value y;
  y.reset(1, shape);
  Context context;
  context.model = n.arithmetic.model;
  Node node = n.node;
  node.axis = Axis::batch;
  if (n.node.arity == 2) {
    row_gradient_rule(node, node, node, x[0], x[1], y, context);
  } else if (n.node.op == Op::softmax) {
    softmax_rule(x[0], y, context);
  } else {
    norm_rule(node, x[0], y, context);
  }
  return {y.error.begin(), y.error.begin() + static_cast<std::ptrdiff_t>(y.count())};
}

}  // namespace

void typical_rows(const TypicalNode& n, Variances& v) {
  const Value& y = n.y();
  const Row row{n.node.op, n.node.alpha, y.cols};
  const bool gradient = n.node.arity == 2;
  for (std::size_t r = 0; r < y.entries * y.rows; ++r) {
    const std::size_t e = r / y.rows, within = r % y.rows * y.cols, at = r * y.cols;
    const auto operand = [&](std::size_t i) {
      const double* from = n.operand(i).value.data() + n.offset(i, e) + within;
      return std::vector<double>(from, from + row.n);
    };
    const auto variance = [&](std::size_t i) {
      return v.total[n.node.args[i]].data() + n.offset(i, e) + within;
    };
    std::vector<double> first = operand(0), second = gradient ? operand(1) : first;
    double* to = v.total[n.id].data() + at;
    bring(row, first, second, second, variance(gradient ? 1 : 0), to);
    if (gradient) bring(row, first, second, first, variance(0), to);
    const double u = traits(n.arithmetic.stated.accumulate).unit_roundoff();
    const std::vector<double> radius = own_radii(n, first, second);
    for (std::size_t i = 0; i < row.n; ++i) {
      double& local = v.local[n.id][at + i];
      local = square(row.op == Op::softmax ? softmax_rounding * u * y.value[at + i]
                                           : share_of_radius(row.op) * radius[i]) +
              square(underflow(y.value[at + i], n.arithmetic));
      to[i] += local;
    }
  }
}

}  // namespace ulpfuzz::bounds
