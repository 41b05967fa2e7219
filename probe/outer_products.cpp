#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "measured.hpp"
#include "report.hpp"

namespace ulpfuzz::probe {
namespace {

/// Columns of a narrow and of a wide product: what chooses by shape may part them.
constexpr std::array<std::size_t, 2> widths{16, 256};

SumArithmetic plain() {
  SumArithmetic fp32;
  fp32.sum_bits = fp32.first_bits = fp32.result_bits = 24;
  fp32.sum_rounding = Direction::nearest_even;
  return fp32;
}

/// What rounds a product alone: what other sums do, or plain fp32.
std::vector<SumArithmetic> candidates(const std::vector<Measured>& all) {
  std::vector<SumArithmetic> some;
  const auto add = [&](const SumArithmetic& a) {
    if (std::none_of(some.begin(), some.end(), [&](const auto& s) { return s.same_kind(a); }))
      some.push_back(a);
  };
  for (const Measured& m : all)
    if (m.product && m.untold.empty()) add(m.arithmetic);
  if (!some.empty()) add(plain());
  return some;
}

bool explained(const SumArithmetic& a) {
  return a.left.known && a.right.known && (a.products_round_once || a.split != Split::none);
}

/// The first candidate that explains what comes back, or else the first.
SumArithmetic measure_alone(Site& site, const std::vector<SumArithmetic>& some,
                            std::uint64_t seed) {
  std::vector<SumArithmetic> tried;
  for (SumArithmetic a : some) {
    a.trio.reset();  // there is one term
    a.split = Split::none;
    measure_operands(site, seed, a);
    tried.push_back(std::move(a));
    if (explained(tried.back())) return tried.back();
  }
  return tried.front();
}

}  // namespace

void probe_outer_products(const Subject& subject, const Options& options,
                          const std::vector<Measured>& all, Report& report) {
  const std::vector<SumArithmetic> some = candidates(all);
  std::vector<Finding> found;
  for (const std::size_t width : widths) {
    Site site(subject, {.kind = SumKind::matmul_ta, .k = 1, .width = width});
    if (some.empty() || site.unsupported()) continue;
    const std::string where = describe(site.place());
    tell(options, "sums: " + where);
    attempt(report, where, [&] {
      const SumArithmetic a = measure_alone(site, some, options.seed);
      const Breaches b = breaches(a, subject.arithmetic(), true);
      std::string text = describe_operands(a);
      if (!b.operands.empty()) text += fmt::format(" ({})", b.operands);
      if (!found.empty() && found.front().value == text)
        found.front().evidence += "; " + where;
      else
        found.push_back({"operands of outer products", text, where, !b.operands.empty()});
    });
  }
  for (Finding& f : found) {
    if (found.size() > 1) f.value += fmt::format(" [{}]", f.evidence);
    report.findings.push_back(std::move(f));
  }
}

}  // namespace ulpfuzz::probe
