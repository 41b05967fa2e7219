#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "op_site.hpp"
#include "report.hpp"
#include "site.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Products and sums of special numbers in a linear layer.
class Sums {
 public:
  Sums(const Subject& subject, const Options& options, Report& report)
      : subject_(subject),
        options_(options),
        report_(report),
        site_(subject, {.k = 8, .batch = 2}) {}

  void all() {
    if (site_.unsupported()) return;
    tell(options_, "special values: linear");
    attempt(report_, "linear", [&] {
      row("NaN in a sum", {not_a_number, 1}, "NaN times 1, beside zeros", true);
      row("0 inf in a sum", {0.0f, infinity}, "0 times inf, beside zeros", false);
      row("0 NaN in a sum", {0.0f, not_a_number}, "0 times NaN, beside zeros", false);
      flushing();
      range();
    });
  }

 private:
  /// Products with 0 may be left out by a policy; others may not.
  void row(const char* what, Term term, const char* evidence, bool demanded) {
    const float y = site_.ask({{3, term}});
    const bool nan = std::isnan(y);
    report_.findings.push_back({what, nan ? "NaN" : fmt::format("{}: it is left out", word(y)),
                                evidence, demanded && !nan});
  }

  // 2^-130 is a subnormal of bf16, too. fp16 operands do not reach there: then zero says nothing
  // about flushing.
  void flushing() {
    const Arithmetic claim = subject_.arithmetic();
    const float operand = site_.ask({{3, {0x1p-130f, 0x1p40f}}});
    const float result = site_.ask({{3, {0x1p-90f, 0x1p-40f}}});
    const float small = site_.ask({{3, {0x1p-100f, 1}}});
    if (small == 0) {
      report_.findings.push_back(
          {"subnormals", "operands do not reach 2^-100: not told", "", false});
      return;
    }
    const bool daz = operand == 0;
    const bool ftz = result == 0;
    const bool broken = (daz || ftz) && !claim.flushes_subnormals;
    report_.findings.push_back(
        {"subnormals",
         fmt::format("operands {}, results {}{}", daz ? "taken as 0 (DAZ)" : "kept",
                     ftz ? "flushed to 0 (FTZ)" : "kept",
                     broken ? " (claimed: gradual underflow)" : ""),
         fmt::format("2^-130 2^40 = {}, 2^-90 2^-40 = {}", word(operand), word(result)), broken});
  }

  void range() {
    const float large = site_.ask({{3, {0x1p17f, 0x1p-10f}}});
    const float over = site_.ask({{3, {0x1p100f, 0x1p100f}}});
    report_.findings.push_back(
        {"range", fmt::format("2^17 2^-10 = {}, 2^100 2^100 = {}", word(large), word(over)),
         "linear", false});
  }

  const Subject& subject_;
  const Options& options_;
  Report& report_;
  Site site_;
};

/// Elementwise ops keep subnormals, or do not.
void op_flushing(const Subject& subject, const Options& options, Report& report) {
  std::vector<std::string> flushing;
  const auto look = [&](const std::string& what, Network network,
                        const std::vector<std::vector<float>>& x) {
    OpSite site(subject, std::move(network));
    if (site.unsupported()) return;
    tell(options, "special values: subnormals through " + what);
    attempt(report, what, [&] {
      if (site.ask(1, x)[0] == 0) flushing.push_back(what);
    });
  };
  const float subnormal = 0x1p-130f;
  const float least_normal = std::numeric_limits<float>::min();
  for (const Op op : {Op::relu, Op::tanh, Op::elu})
    look(std::string(name(op)), elementwise(op, false, 1), {{subnormal}});
  for (const bool product : {false, true}) {
    Network network;
    const NodeId a = network.input(1);
    const NodeId b = network.input(1);
    network.output(product ? network.mul(a, b) : network.add(a, b));
    if (product)
      look("mul", std::move(network), {{0x1p-90f}, {0x1p-40f}});
    else
      look("add", std::move(network), {{1.5f * least_normal}, {-least_normal}});
  }
  const Arithmetic claim = subject.arithmetic();
  const bool narrow = traits(claim.accumulate).emin > -100 || traits(claim.keep).emin > -100 ||
                      traits(claim.store).emin > -100;
  const bool broken = !flushing.empty() && !claim.flushes_subnormals && !narrow;
  report.findings.push_back(
      {"subnormals through functions",
       flushing.empty() ? "kept"
                        : fmt::format("flushed by {}{}", joined(flushing, ", "),
                                      broken ? " (claimed: gradual underflow)" : ""),
       "relu, tanh, elu of 2^-130; a sum and a product that are subnormal", broken});
}

/// Sums of nothing: a layer over no columns, a batch of no rows.
void empty_sums(const Subject& subject, const Options& options, Report& report) {
  const auto look = [&](const char* what, std::uint32_t k, bool bias, std::size_t batch) {
    Network network;
    const NodeId x = network.input(k);
    const NodeId w = network.parameter(4, k);
    std::vector<Tensor> parameters{Tensor(4, k)};
    if (bias) parameters.emplace_back(1, 4, std::vector<float>{1, 2, 3, 4});
    network.output(bias ? network.linear(x, w, network.parameter(1, 4)) : network.linear(x, w));
    OpSite site(subject, std::move(network), std::move(parameters));
    if (site.unsupported()) return;
    tell(options, fmt::format("special values: {}", what));
    attempt(report, what, [&] {
      const std::vector<std::vector<float>> input{std::vector<float>(batch * k + 1)};
      const std::span<const float> y = site.ask(batch, input);
      bool right = true;
      for (std::size_t i = 0; i < y.size(); ++i)
        right = right && y[i] == (bias ? static_cast<float>(i % 4 + 1) : 0.0f);
      const std::string good = batch == 0 ? "nothing is written" : bias ? "the bias" : "0";
      report.findings.push_back({what,
                                 right ? good : fmt::format("{} (should be {})", word(y[0]), good),
                                 "linear to 4", !right});
    });
  };
  look("K = 0", 0, false, 3);
  look("K = 0 with bias", 0, true, 3);
  look("K = 0 with bias, one row", 0, true, 1);
  look("batch 0", 5, true, 0);
}

/// Callers hand over output buffers full of NaN: what is computed from them shows.
void beta_zero(const Subject& subject, const Options& options, Report& report) {
  std::vector<std::string> leaks;
  for (const SumKind kind :
       {SumKind::linear, SumKind::linear_bias, SumKind::matmul, SumKind::matmul_ta,
        SumKind::matmul_rows, SumKind::outer_sum, SumKind::batch_sum})
    for (const std::size_t k : {std::size_t{1}, std::size_t{5}, std::size_t{16}})
      for (const std::size_t batch : {std::size_t{1}, std::size_t{5}}) {
        const bool over_batch = kind == SumKind::outer_sum || kind == SumKind::batch_sum;
        if (batch > options.largest_batch || (over_batch && k > options.largest_batch)) continue;
        Site site(subject, {.kind = kind, .k = k, .width = 3, .batch = batch});
        if (site.unsupported()) continue;
        tell(options, "special values: old contents of outputs, " + describe(site.place()));
        attempt(report, "old contents of outputs, " + describe(site.place()), [&] {
          if (site.ask({{0, {1, 2}}}) != 2) leaks.push_back(describe(site.place()));
        });
      }
  report.findings.push_back(
      {"beta = 0",
       leaks.empty() ? "old contents of output buffers do not show"
                     : fmt::format("they show, or sums are wrong: {}", leaks.front()),
       "outputs full of NaN before the call; sums of one product", !leaks.empty()});
}

}  // namespace

void probe_special_sums(const Subject& subject, const Options& options, Report& report) {
  Sums(subject, options, report).all();
  op_flushing(subject, options, report);
  empty_sums(subject, options, report);
  beta_zero(subject, options, report);
  probe_indexing(subject, options, report);
}

}  // namespace ulpfuzz::probe
