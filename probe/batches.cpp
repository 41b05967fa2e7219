#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "batch_survey.hpp"
#include "examine.hpp"
#include "report.hpp"
#include "reveal.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr std::uint32_t width = EqualRows::width;

std::size_t differing_column(const std::vector<Way>& ways) {
  for (std::size_t i = 0; ways.size() > 1 && i < ways[0].bits.size(); ++i)
    if (ways[0].bits[i] != ways[1].bits[i]) return i % width;
  return 0;
}

/// Batch sizes that fail with one message.
struct Failing {
  std::optional<SubjectFault> first;
  std::vector<std::size_t> sizes;
};

/// Does the batch give the same bits again? What does not claim so is asked more often.
bool same_again(const Subject& subject, EqualRows& equal, std::size_t batch,
                const std::vector<Bits>& rows) {
  for (int calls = subject.deterministic() ? 1 : 7; calls > 0; --calls)
    if (equal.rows(batch) != rows) return false;
  return true;
}

void look_closely(const Subject& subject, std::size_t k, std::size_t column, std::uint64_t seed,
                  Way& way) {
  Site site(subject, {.kind = SumKind::linear_bias,
                      .k = k,
                      .width = width,
                      .batch = way.batch,
                      .row = way.row,
                      .column = column});
  const Examined e = examine(site, seed);
  const SumArithmetic& found = e.arithmetic;
  way.steady = e.steady;
  if (!e.steady) return;
  if (e.lost) {
    way.text = fmt::format("term {} of a sum is lost", *e.lost);
    way.breaches.sums = "every term counts";
    return;
  }
  way.breaches = breaches(found, subject.arithmetic(), true);
  way.text = describe(e.tree);
  if (found.split != Split::none)
    way.text += "; operands in pieces";
  else if (!found.left.exact())
    way.text += fmt::format("; operands {}", describe(found.left));
  if (found.unit.block == 0 && found.sum_bits != 24) way.text += "; sums: " + describe_sum(found);
}

void add_tiles(const Survey& survey, Report& report) {
  const bool mixed = std::any_of(survey.classes.begin(), survey.classes.end(),
                                 [](const auto& c) { return c.first.size() > 1; });
  const std::size_t tile = mixed ? tile_of(survey) : 0;
  if (tile == 0) return;
  const auto& rows = survey.way_of_row[tile - 1];
  std::string text = fmt::format("{} rows", tile);
  if (std::any_of(rows.begin(), rows.end(), [&](std::size_t id) { return id != rows[0]; })) {
    std::size_t parting = 1;
    while (rows[parting] == rows[0]) ++parting;
    text +=
        fmt::format(", whose rows from {} on are computed in another way than the first", parting);
  }
  report.findings.push_back({"tiles of rows", text,
                             fmt::format("equal rows in batches 1-{}", survey.way_of_row.size()),
                             false});
}

void add_breaches(const Way& way, const std::string& where, Report& report) {
  const auto add = [&](const char* what, const std::string& why) {
    if (!why.empty())
      report.findings.push_back({fmt::format("{}, {}", what, where),
                                 fmt::format("{} ({})", way.text, why),
                                 "rows of equal numbers; "
                                 "then single products and sums there",
                                 true});
  };
  add("operands of products", way.breaches.operands);
  add("sums", way.breaches.sums);
  add("results", way.breaches.results);
}

/// Batch sizes whose calls disagree are one class, whatever else they do.
void add_unsteady(const Subject& subject, std::size_t k, std::vector<std::size_t> sizes,
                  Report& report) {
  if (sizes.empty()) return;
  std::sort(sizes.begin(), sizes.end());
  report.findings.push_back(
      {"repeatability, batch sizes", "the same call gives other bits",
       fmt::format("linear+bias {} -> {}, batch {}", k, width, compact(sizes)),
       subject.deterministic()});
  report.batch_classes.push_back(
      {std::move(sizes), fmt::format("could not be told: {}", other_bits)});
}

void write(const Survey& survey, std::vector<std::size_t>& unsteady, Report& report) {
  add_tiles(survey, report);
  for (const auto& [ids, c] : survey.classes) {
    if (std::any_of(ids.begin(), ids.end(), [&](auto id) { return !survey.ways[id].steady; })) {
      unsteady.insert(unsteady.end(), c.sizes.begin(), c.sizes.end());
      continue;
    }
    std::string text;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::string rows = rows_text(c, i);
      text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", rows, survey.ways[ids[i]].text);
    }
    report.batch_classes.push_back({c.sizes, text});
  }
  for (std::size_t w = 0; w < survey.ways.size(); ++w) {
    std::vector<std::size_t> sizes;
    for (const auto& [ids, c] : survey.classes)
      if (std::find(ids.begin(), ids.end(), w) != ids.end())
        sizes.insert(sizes.end(), c.sizes.begin(), c.sizes.end());
    std::sort(sizes.begin(), sizes.end());
    add_breaches(survey.ways[w], "batch " + compact(sizes), report);
  }
}

}  // namespace

void probe_batch_sizes(const Subject& subject, const Options& options, Report& report) {
  const std::size_t k = *std::max_element(options.inner.begin(), options.inner.end());
  EqualRows rows(subject, k, options.seed);
  if (rows.unsupported()) return;
  Survey survey;
  std::vector<std::size_t> unsteady;
  std::map<std::string, Failing> failing;
  for (std::size_t batch = 1; batch <= options.largest_batch; ++batch) {
    tell(options, fmt::format("batch sizes: batch {}", batch));
    try {
      const std::vector<Bits> bits = rows.rows(batch);
      if (same_again(subject, rows, batch, bits))
        survey.add(batch, bits);
      else
        unsteady.push_back(batch);
    } catch (const SubjectFault& fault) {
      Failing& f = failing[without_numbers(fault.what())];
      if (f.sizes.empty()) f.first = fault;
      f.sizes.push_back(batch);
    }
  }
  for (const auto& [message, f] : failing)
    report.findings.push_back(
        {fmt::format("linear+bias {} -> {}, batch {}", k, width, compact(f.sizes)),
         std::string(name(f.first->failure())), f.first->what(), true});
  const std::size_t column = differing_column(survey.ways);
  for (Way& way : survey.ways)
    attempt(report, fmt::format("batch {}, row {}", way.batch, way.row),
            [&] { look_closely(subject, k, column, options.seed, way); });
  write(survey, unsteady, report);
  add_unsteady(subject, k, std::move(unsteady), report);
  std::sort(report.batch_classes.begin(), report.batch_classes.end(),
            [](const auto& a, const auto& b) { return a.sizes.front() < b.sizes.front(); });
}

}  // namespace ulpfuzz::probe
