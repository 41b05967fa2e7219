#include <fmt/format.h>

#include <algorithm>

#include "examine.hpp"
#include "measured.hpp"
#include "report.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr std::size_t random_sums = 64;

std::vector<Place> places(const Options& options) {
  const std::size_t some = std::min<std::size_t>(16, options.largest_batch);
  std::vector<Place> all;
  for (const std::size_t k : options.inner) {
    for (const SumKind kind :
         {SumKind::linear, SumKind::linear_bias, SumKind::matmul, SumKind::matmul_tb,
          SumKind::matmul_ta, SumKind::matmul_tt, SumKind::matmul_rows, SumKind::sum_rows})
      for (const std::size_t batch : {std::size_t{1}, some})
        if (batch == 1 || some > 1) all.push_back({.kind = kind, .k = k, .batch = batch});
    for (const std::size_t batch : {std::size_t{1}, some})
      if (batch == 1 || some > 1)
        all.push_back({.kind = SumKind::linear, .k = k, .width = 1, .batch = batch});
    if (k > options.largest_batch) continue;
    all.push_back({.kind = SumKind::outer_sum, .k = k, .batch = k});
    all.push_back({.kind = SumKind::batch_sum, .k = k, .batch = k});
  }
  return all;
}

std::string proof(Site& site, const SumTree& tree, const SumArithmetic& a, std::uint64_t seed) {
  const auto right = count_predicted(site, tree, a, seed, random_sums);
  return right ? fmt::format("{} of {} random sums predicted bit for bit", *right, random_sums)
               : "";
}

std::string join_places(const std::vector<const Measured*>& group, std::size_t all) {
  if (group.size() == all) return "everywhere";
  std::vector<std::string> where;
  for (const Measured* m : group) where.push_back(m->where);
  if (where.size() <= 4) return joined(where, "; ");
  return fmt::format("{}; {}; {} and {} more", where[0], where[1], where[2], where.size() - 3);
}

/// One finding for each text that `value` gives, with the places that it holds for.
template <class Value, class Breach, class Take>
void group(const std::vector<Measured>& all, const char* what, Take take, Value value,
           Breach breach, std::string_view evidence, Report& report) {
  std::vector<std::pair<std::string, std::vector<const Measured*>>> groups;
  std::size_t taken = 0;
  for (const Measured& m : all) {
    if (!take(m)) continue;
    ++taken;
    std::string text = m.untold.empty() ? value(m) : "could not be told: " + m.untold;
    const std::string& why = breach(m);
    if (!why.empty()) text += fmt::format(" ({})", why);
    const auto at =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == text; });
    if (at == groups.end())
      groups.push_back({text, {&m}});
    else
      at->second.push_back(&m);
  }
  for (const auto& [text, members] : groups)
    report.findings.push_back(
        {what,
         groups.size() == 1 ? text : fmt::format("{} [{}]", text, join_places(members, taken)),
         fmt::format("{}: {}", join_places(members, taken), evidence),
         !breach(*members.front()).empty()});
}

std::string_view fusion_text(Fusion fusion) {
  switch (fusion) {
    case Fusion::fused:
      return "products are added by FMA";
    case Fusion::mixed:
      return "some products are added by FMA, others are rounded before";
    case Fusion::separate:
      return "products are rounded before they are added";
    case Fusion::exact:
      return "products are exact in the sum: FMA would not show";
    case Fusion::unseen:
      break;
  }
  return "could not be told";
}

/// Places whose results are no sums that could be looked at, with why.
struct NoSums {
  std::vector<std::string> unsteady, losing;
};

std::optional<Measured> look(Site& site, const std::string& where, const Options& options,
                             Report& report, NoSums& bad) {
  Examined e = examine(site, options.seed);
  if (!e.steady) bad.unsteady.push_back(where);
  if (e.lost) bad.losing.push_back(fmt::format("{}: 1 at term {} alone", where, *e.lost));
  Measured m{where, site.multiplies(), std::move(e.arithmetic), {}, {}};
  if (!e.steady) m.untold = e.tree.why;
  if (!e.steady || e.lost) {
    report.orders.push_back({where, std::move(e.tree), ""});
    return e.lost ? std::nullopt : std::optional(std::move(m));
  }
  m.breaches = breaches(m.arithmetic, site.subject().arithmetic(), m.product);
  const std::string shown = proof(site, e.tree, m.arithmetic, options.seed);
  report.orders.push_back({where, std::move(e.tree), shown});
  return m;
}

void add_findings(const std::vector<Measured>& all, Report& report) {
  const auto any = [](const Measured&) { return true; };
  const auto products = [](const Measured& m) { return m.product; };
  static const std::string none;
  group(
      all, "operands of products", products,
      [](const Measured& m) { return describe_operands(m.arithmetic); },
      [](const Measured& m) -> const std::string& { return m.breaches.operands; },
      "single products of random numbers, ties and near-ties of bf16 and of 11 bits", report);
  group(
      all, "sums", any, [](const Measured& m) { return describe_sum(m.arithmetic); },
      [](const Measured& m) -> const std::string& { return m.breaches.sums; },
      "1 + 2^-t - 1 in each sum of the tree", report);
  group(
      all, "results", any,
      [](const Measured& m) { return fmt::format("{} bits", m.arithmetic.result_bits); },
      [](const Measured& m) -> const std::string& { return m.breaches.results; }, "1 + 2^-t",
      report);
  group(
      all, "FMA", products,
      [](const Measured& m) { return std::string(fusion_text(m.arithmetic.fusion)); },
      [](const Measured&) -> const std::string& { return none; },
      "(1 + 2^-h)^2 beside -(1 + 2^(1-h)), for each product of the tree", report);
  for (const Measured& m : all)
    if (!m.breaches.depth.empty())
      report.findings.push_back(
          {"depth",
           fmt::format("{} roundings on the way ({})", m.arithmetic.depth, m.breaches.depth),
           m.where, true});
}

}  // namespace

void probe_sums(const Subject& subject, const Options& options, Report& report) {
  std::vector<Measured> all;
  NoSums bad;
  for (const Place& place : places(options)) {
    Site site(subject, place);
    const std::string where = describe(site.place());
    if (const auto why = site.unsupported()) {
      SumTree tree;
      tree.why = "the subject does not evaluate this: " + *why;
      report.orders.push_back({where, tree, ""});
      continue;
    }
    tell(options, fmt::format("sums: {}{}", where,
                              place.kind == SumKind::outer_sum || place.kind == SumKind::batch_sum
                                  ? fmt::format(", batch {}", place.batch)
                                  : ""));
    attempt(report, where, [&] {
      if (auto m = look(site, where, options, report, bad)) all.push_back(std::move(*m));
    });
  }
  if (!bad.unsteady.empty())
    report.findings.push_back({"repeatability", "the same call gives other bits",
                               joined(bad.unsteady, "; "), subject.deterministic()});
  if (!bad.losing.empty())
    report.findings.push_back({"terms of sums", "some are lost", joined(bad.losing, "; "), true});
  add_findings(all, report);
  probe_outer_products(subject, options, all, report);
}

}  // namespace ulpfuzz::probe
