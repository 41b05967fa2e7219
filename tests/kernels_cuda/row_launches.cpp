#include <fmt/format.h>

#include "launches.hpp"

namespace ulpfuzz::kernels::testing_support {
namespace {

constexpr std::size_t widths[] = {1, 3, 8, 31, 64, 200, 1500};
constexpr std::size_t rows = 13;

// Exponentials are each side's: a few ulps each, also in the sum; online they are multiplied up
// where the maximum grows.
void add_softmax(std::vector<Problem>& problems, std::size_t n, std::mt19937& random,
                 Values values) {
  for (const auto formula : {Softmax::Formula::shifted, Softmax::Formula::online})
    for (const bool fast : {false, true}) {
      Problem& problem = problems.emplace_back(
          fmt::format("softmax: formula {}, fast {}, n {}", static_cast<int>(formula), fast, n));
      problem.claim = {.relative = formula == Softmax::Formula::online ? 512.0 : 256.0};
      const float* const x = problem.array(rows * n, random, values);
      problem.launch = Softmax{formula, x, rows, n, problem.output(rows * n), fast};
    }
}

void add_norms(std::vector<Problem>& problems, std::size_t n, std::mt19937& random, Values values) {
  for (const auto kind : {Norm::Kind::layer, Norm::Kind::rms})
    for (const auto passes : {Norm::Passes::one, Norm::Passes::two}) {
      Problem& problem = problems.emplace_back(fmt::format(
          "norm: kind {}, passes {}, n {}", static_cast<int>(kind), static_cast<int>(passes), n));
      const float* const x = problem.array(rows * n, random, values);
      problem.launch = Norm{kind, passes, x, 1e-5f, rows, n, problem.output(rows * n)};
    }
}

void add_gradients(std::vector<Problem>& problems, std::size_t n, std::mt19937& random,
                   Values values) {
  using Of = RowGradient::Of;
  for (const Of of : {Of::softmax, Of::layer_norm, Of::rms_norm}) {
    Problem& problem =
        problems.emplace_back(fmt::format("row gradient {}, n {}", static_cast<int>(of), n));
    const float* const v = problem.array(rows * n, random, values);
    const float* const x = problem.array(rows * n, random, values);
    problem.launch = RowGradient{of, v, x, 1e-5f, rows, n, problem.output(rows * n)};
  }
}

}  // namespace

std::vector<Problem> row_problems(Values values) {
  std::mt19937 random(21);
  std::vector<Problem> problems;
  for (const std::size_t n : widths) {
    add_softmax(problems, n, random, values);
    add_norms(problems, n, random, values);
    add_gradients(problems, n, random, values);
  }
  return problems;
}

std::vector<Problem> column_sum_problems(Values values) {
  std::mt19937 random(22);
  std::vector<Problem> problems;
  for (const std::uint32_t at_once : {1u, 4u, 8u})
    for (const std::uint32_t parts : {1u, 3u, 9u})
      for (const std::size_t n : {1, 31, 300}) {
        Problem& problem = problems.emplace_back(
            fmt::format("column sum: {} rows at once, {} parts, n {}", at_once, parts, n));
        ColumnSum sum{.entries = 2, .rows = 1 + random() % 90, .n = n};
        sum.x = problem.array(sum.entries * sum.rows * n, random, values);
        sum.y = problem.output(sum.entries * n);
        sum.rows_at_once = at_once;
        sum.parts = parts;
        problem.launch = sum;
      }
  return problems;
}

}  // namespace ulpfuzz::kernels::testing_support
