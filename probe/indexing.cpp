#include <fmt/format.h>

#include "op_site.hpp"
#include "report.hpp"

namespace ulpfuzz::probe {
namespace {

// Integers so small that their sums are exact in every format, and in no order among themselves:
// any element taken for another shows.
std::vector<float> integers(std::size_t n, std::uint32_t seed) {
  std::vector<float> values;
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(static_cast<int>(state >> 24) % 9 - 4));
  }
  return values;
}

struct Product {
  std::uint32_t k, n;
  bool bias;
  std::size_t batch;
};

std::vector<float> expected(const Product& p, const std::vector<float>& x,
                            std::span<const Tensor> parameters) {
  std::vector<float> y;
  for (std::size_t r = 0; r < p.batch; ++r)
    for (std::size_t j = 0; j < p.n; ++j) {
      float sum = p.bias ? parameters[1].data[j] : 0;
      for (std::size_t i = 0; i < p.k; ++i) sum += x[r * p.k + i] * parameters[0].data[j * p.k + i];
      y.push_back(sum);
    }
  return y;
}

/// The first element that is wrong, in words; empty if none is.
std::string look(const Subject& subject, const Product& p) {
  Network network;
  const NodeId x = network.input(p.k), w = network.parameter(p.n, p.k);
  std::vector<Tensor> parameters{{p.n, p.k, integers(std::size_t{p.n} * p.k, 1)}};
  if (p.bias) parameters.emplace_back(1, p.n, integers(p.n, 2));
  network.output(p.bias ? network.linear(x, w, network.parameter(1, p.n)) : network.linear(x, w));
  OpSite site(subject, std::move(network), std::move(parameters));
  if (site.unsupported()) return {};
  const std::vector<float> rows = integers(p.batch * p.k, 3);
  const auto y = site.ask(p.batch, {rows});
  const std::vector<float> right = expected(p, rows, site.parameters());
  for (std::size_t i = 0; i < right.size(); ++i)
    if (y[i] != right[i])
      return fmt::format("row {}, column {} is {} where {} is right", i / p.n, i % p.n, word(y[i]),
                         word(right[i]));
  return {};
}

}  // namespace

void probe_indexing(const Subject& subject, const Options& options, Report& report) {
  std::string wrong;
  for (const bool bias : {false, true})
    for (const auto& [k, n] : {std::pair{5u, 5u}, {16u, 16u}, {5u, 3u}, {3u, 17u}})
      for (std::size_t batch = 1; batch <= 9 && batch <= options.largest_batch; ++batch) {
        const std::string where =
            fmt::format("linear{} {} -> {}, batch {}", bias ? "+bias" : "", k, n, batch);
        tell(options, "special values: rows and columns, " + where);
        attempt(report, where, [&] {
          const std::string found = look(subject, {k, n, bias, batch});
          if (!found.empty() && wrong.empty()) wrong = where + ": " + found;
        });
      }
  report.findings.push_back({"rows and columns", wrong.empty() ? "each in its place" : wrong,
                             "linear layers of small integers, whose sums are exact; square and "
                             "not, batches 1-9 of unequal rows",
                             !wrong.empty()});
}

}  // namespace ulpfuzz::probe
