#include "ulpfuzz/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "report.hpp"

namespace ulpfuzz::probe {
namespace {

using Part = void (*)(const Subject&, const Options&, Report&);

constexpr std::array<std::string_view, 4> names{"sums", "special values", "functions",
                                                "batch sizes"};
constexpr std::array<Part, 4> functions{probe_sums, probe_special_values, probe_functions,
                                        probe_batch_sizes};

void check(const Options& options) {
  if (options.inner.empty())
    throw std::invalid_argument("probe: no length of dot products; 8 and 64 would fit");
  for (const std::size_t k : options.inner)
    if (k < 2 || k > most_inner)
      throw std::invalid_argument(
          fmt::format("probe: dot products of length {}; 2 to {} would fit", k, most_inner));
  if (options.largest_batch < 1 || options.largest_batch > most_batch)
    throw std::invalid_argument(fmt::format("probe: largest batch {}; 1 to {} would fit",
                                            options.largest_batch, most_batch));
}

template <class Item>
void move_to(std::vector<Item>& to, std::vector<Item>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c < '0' || c > '9')
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  return out;
}

void add_fault(Report& report, const std::string& where, const SubjectFault& fault) {
  constexpr std::size_t long_enough = 160;
  const std::string value(name(fault.failure()));
  const std::string folded = without_numbers(fault.what());
  for (Finding& f : report.findings) {
    if (f.value != value || without_numbers(f.evidence) != folded) continue;
    if (f.what.size() < long_enough)
      f.what += "; " + where;
    else if (!f.what.ends_with("; ..."))
      f.what += "; ...";
    return;
  }
  report.findings.push_back({where, value, fault.what(), true});
}

bool Report::claims_hold() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.claim_broken; });
}

void append(Report& report, Report more) {
  move_to(report.findings, more.findings);
  move_to(report.orders, more.orders);
  move_to(report.batch_classes, more.batch_classes);
}

std::span<const std::string_view> parts() { return names; }

Report probe(const Subject& subject, const Options& options, std::string_view part) {
  check(options);
  const auto at = std::find(names.begin(), names.end(), part);
  if (at == names.end())
    throw std::invalid_argument(
        fmt::format("probe: no part '{}'; {} would fit", part, joined(names, ", ")));
  Report report;
  report.subject = subject.name();
  functions[static_cast<std::size_t>(at - names.begin())](subject, options, report);
  return report;
}

Report probe(const Subject& subject, const Options& options) {
  Report report;
  report.subject = subject.name();
  for (const std::string_view part : names) append(report, probe(subject, options, part));
  return report;
}

}  // namespace ulpfuzz::probe
