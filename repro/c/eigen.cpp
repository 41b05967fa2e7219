#include <fmt/format.h>

#include "dialect.hpp"
#include "formulas.hpp"

namespace ulpfuzz::repro {
namespace {

std::string factor(bool transposes, const std::string& at, const char* rows, const char* cols) {
  return transposes ? fmt::format("In({}, {}, {}).transpose()", at, cols, rows)
                    : fmt::format("In({}, {}, {})", at, rows, cols);
}

/// y = op(a) op(b), op(a) m x k, op(b) k x n
std::string product(bool ta, bool tb, const char* m, const char* k, const char* n,
                    const std::string& a, const std::string& b, const std::string& y) {
  return fmt::format("Out({}, {}, {}).noalias() = {} * {};", y, m, n, factor(ta, a, m, k),
                     factor(tb, b, k, n));
}

Lines matmul(const KernelId& id) {
  if (!id.each)
    return {
        product(id.transpose_a, id.transpose_b, "m", "k", "n", "a.data()", "b.data()", "y.data()")};
  return {"for (int e = 0; e < entries; ++e)",
          "  " + product(id.transpose_a, id.transpose_b, "m", "k", "n",
                         "a.data() + e / a_repeat * a_stride", "b.data() + e / b_repeat * b_stride",
                         "y.data() + e * m * n")};
}

/// Eigen's packet exp stays at e^-88 below, which is no rounding error: libm then.
std::string array_call(const std::string& array, const std::string& function) {
  if (function == "exp") return fmt::format("{0} = exponential({0});", array);
  return fmt::format("{0} = {0}.{1}();", array, function);
}

const std::string exponential = R"(// Below -87 by libm: Eigen's own stays at e^-88 there.
Eigen::ArrayXf exponential(const Eigen::ArrayXf& x) {
  if ((x < -87).any()) return x.unaryExpr([](float v) { return std::exp(v); });
  return x.exp();
})";

Lines rows(const Lines& inner) {
  Lines lines = {"for (int r = 0; r < rows; ++r) {",
                 "  const Eigen::Map<const Eigen::ArrayXf> from(x.data() + r * n, n);",
                 "  Eigen::Map<Eigen::ArrayXf> to(y.data() + r * n, n);"};
  for (const std::string& line : inner) lines.push_back("  " + line);
  lines.push_back("}");
  return lines;
}

void activation(Kernel& kernel, const KernelId& id) {
  const Formula formula = formula_of(id);
  if (formula.first.empty()) return;
  kernel.result = "count";
  if (id.op == Op::sigmoid) {
    kernel.call = {"const Eigen::Map<const Eigen::ArrayXf> from(x.data(), count);",
                   "Eigen::Map<Eigen::ArrayXf>(y.data(), count) = from.logistic();",
                   "for (int i = 0; i < count; ++i)", "  if (x[i] < -87) y[i] = std::exp(x[i]);"};
    return;
  }
  kernel.call = array_lines(formula, array_call);
  kernel.call.front() = "Eigen::ArrayXf f(count), g(count);";
  if (formula.second.empty()) kernel.call.front() = "Eigen::ArrayXf f(count);";
  if (formula.first == "exp" || formula.second == "exp") kernel.helpers = {exponential};
}

void adapt_rows(Kernel& kernel, const KernelId& id) {
  const std::string epsilon = short_float(id.alpha);
  if (id.op == Op::softmax) {
    kernel.call =
        rows({"to = exponential(from - from.maxCoeff<Eigen::PropagateNaN>());", "to /= to.sum();"});
    kernel.helpers = {exponential};
  } else if (id.op == Op::layer_norm) {
    kernel.call = rows({"to = from - from.mean();",
                        fmt::format("to *= 1 / std::sqrt(to.square().mean() + {});", epsilon)});
  } else if (id.op == Op::rms_norm) {
    kernel.call =
        rows({fmt::format("to = from * (1 / std::sqrt(from.square().mean() + {}));", epsilon)});
  }
}

}  // namespace

Dialect eigen_dialect() {
  Dialect d;
  d.globals = {
      "using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;",
      "using In = Eigen::Map<const Matrix>;", "using Out = Eigen::Map<Matrix>;"};
  d.adapt = [](Kernel& kernel, const KernelId& id, const Uses&) {
    if (id.spread) return;
    if (id.op == Op::linear) {
      kernel.call = {product(false, true, "rows", "k", "n", "x.data()", "w.data()", "y.data()")};
      if (id.bias)
        kernel.call.push_back(
            "Out(y.data(), rows, n).rowwise() += Eigen::Map<const Eigen::RowVectorXf>(bias.data(), "
            "n);");
    } else if (id.op == Op::matmul) {
      kernel.call = matmul(id);
    } else if (id.op == Op::outer_sum) {
      kernel.call = {product(true, false, "n", "rows", "k", "a.data()", "b.data()", "y.data()")};
    } else if (id.op == Op::batch_sum || id.op == Op::sum_rows) {
      const bool each = id.op == Op::sum_rows;
      kernel.call = {
          each ? "for (int e = 0; e < entries; ++e)" : "",
          each ? "  Out(y.data() + e * n, 1, n) = In(x.data() + e * m * n, m, n).colwise().sum();"
               : "Out(y.data(), 1, n) = In(x.data(), rows, n).colwise().sum();"};
      if (!each) kernel.call.erase(kernel.call.begin());
    } else if (is_activation(id.op) || id.op == Op::derivative) {
      activation(kernel, id);
    } else {
      adapt_rows(kernel, id);
    }
    if (kernel.call.empty()) return;
    kernel.headers = {"<Eigen/Core>"};
    kernel.flags = {"-I/usr/include/eigen3"};
    const bool of_one = is_activation(id.op) || id.op == Op::derivative;
    if (of_one && formula_of(id).first == "erf")
      kernel.headers.push_back("<unsupported/Eigen/SpecialFunctions>");
  };
  return d;
}

}  // namespace ulpfuzz::repro
