#include "ulpfuzz/runner/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan.hpp"
#include "ulpfuzz/runner/member_write.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

json options_json(const CampaignOptions& o) {
  json given = json::array();
  for (const GivenCase& c : o.given) given.push_back(c.name.string());
  return {{"subjects", o.subjects},
          {"properties", o.properties},
          {"faults", o.faults},
          {"claim", o.claim},
          {"time", o.seconds},
          {"cases", o.cases},
          {"given", given},
          {"index", o.index ? json(*o.index) : json()},
          {"jobs", o.jobs},
          {"case_timeout", o.case_timeout},
          {"shrink_evaluations", o.shrink_evaluations},
          {"shrink_time", o.shrink_seconds},
          {"fail_fast", o.fail_fast},
          {"memory_limit", o.memory_limit},
          {"statistics_interval", o.statistics_interval},
          {"bitwise", o.check.bitwise},
          {"eps", o.check.eps},
          {"limits",
           {{"kind", o.limits.kind == generators::Limits::Kind::plain ? "plain" : "everything"},
            {"depth", o.limits.depth},
            {"width", o.limits.width},
            {"batch", o.limits.batch},
            {"work", o.limits.work},
            {"jacobian", o.limits.jacobian}}}};
}

double rate(const CampaignResult& r) {
  return r.seconds > 0 ? static_cast<double>(r.cases) / r.seconds : 0;
}

void add_pairs(std::string& text, const CampaignResult& r) {
  text +=
      fmt::format("\n{:<20} {:<22} {:>10} {:>10} {:>6} {:>8} {:>7} {:>14} {:>11}\n", "property",
                  "subject", "cases", "pass", "fail", "vacuous", "skip", "elements", "worst share");
  for (const PairCounts& p : r.pairs)
    text += fmt::format("{:<20} {:<22} {:>10} {:>10} {:>6} {:>8} {:>7} {:>14} {:>11}\n", p.property,
                        p.subject, with_commas(p.cases), with_commas(p.pass), with_commas(p.fail),
                        with_commas(p.vacuous), with_commas(p.skip), with_commas(p.elements),
                        share_text(p.share_max));
}

void add_buckets(std::string& text, const CampaignResult& r) {
  for (const Bucket& b : r.buckets) {
    text += fmt::format("\n{} {}: {}\n  {}\n", b.flaky ? "FLAKY" : "FAIL", b.id,
                        counted(b.count, "time"), b.reason);
    if (!b.met_in.empty()) text += fmt::format("  met while {} was shrunk\n", b.met_in);
    if (!b.case_file.empty()) text += fmt::format("  {}\n", b.case_file.string());
    text += b.tried == 0 ? "  not run again: the campaign was stopped\n"
                         : fmt::format("  failed again in {} of {} runs\n", b.reproduced, b.tried);
    for (const std::string& id : b.also) text += fmt::format("  also {}\n", id);
  }
}

void add_reasons(std::string& text, const char* title,
                 const std::map<std::string, std::uint64_t>& reasons, std::uint64_t verdicts,
                 std::uint64_t all) {
  if (verdicts == 0) return;
  const auto sorted = by_frequency(reasons);
  text += fmt::format("\n{}:\n", title);
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < std::min(shown, sorted.size()); ++i)
    text += fmt::format("  {:>10} ({}) {}\n", with_commas(sorted[i].second),
                        percent(sorted[i].second, all), sorted[i].first);
  if (sorted.size() > shown)
    text += fmt::format("  and {} more, in summary.json\n", sorted.size() - shown);
  std::uint64_t recorded = 0;
  for (const auto& [reason, n] : sorted) recorded += n;
  if (recorded < verdicts)
    text += fmt::format("  ({} without a recorded reason: their worker died)\n",
                        with_commas(verdicts - recorded));
}

void add_time(std::string& text, const CampaignResult& r) {
  double all = 0;
  for (const auto& [key, value] : r.time) all += value;
  text += "\ntime:      ";
  for (const char* key : {"generate", "evaluate", "bound", "other", "findings"}) {
    const double value = r.time.count(key) != 0 ? r.time.at(key) : 0;
    text += fmt::format("{} {:.1f} s ({:.0f}%)  ", key, value, all > 0 ? 100 * value / all : 0.0);
  }
  text += "\nelements: ";
  for (const auto& [tier, n] : r.elements_by_tier)
    text += fmt::format(" {} {} ({}) ", tier, with_commas(n), percent(n, r.elements));
  text += '\n';
}

}  // namespace

std::string summary_json(const CampaignOptions& options, const CampaignResult& r) {
  json all = to_member(r);
  all["schema"] = summary_schema;
  all["kind"] = campaign_kind;
  all["seed"] = options.given.empty() ? json(options.seed) : json();
  all["options"] = options_json(options);
  all["cases_per_second"] = rate(r);
  json& environment = all["environment"] = r.environment.machine;
  environment["claim"] = r.environment.claim;
  environment["subjects"] = r.environment.subjects;
  environment["variables"] = r.environment.variables;
  all["too_little"] = r.too_little();
  all["exit_code"] = r.running ? json() : json(r.exit_code());
  return dump(all, 2) + "\n";
}

std::string summary_text(const CampaignOptions& options, const CampaignResult& r) {
  std::string text = fmt::format(
      "ulpfuzz run: {} cases in {} ({} per second), {} elements, {}{}\n", with_commas(r.cases),
      clock_text(r.seconds), with_commas(static_cast<std::uint64_t>(rate(r))),
      with_commas(r.elements), origin_of(options), r.interrupted ? ", interrupted" : "");
  text +=
      fmt::format("verdicts:  pass {}  fail {}  vacuous {} ({})  skip {} ({})\n",
                  with_commas(r.verdicts.at("pass")), with_commas(r.verdicts.at("fail")),
                  with_commas(r.verdicts.at("vacuous")), percent(r.verdicts.at("vacuous"), r.cases),
                  with_commas(r.verdicts.at("skip")), percent(r.verdicts.at("skip"), r.cases));
  add_pairs(text, r);
  add_buckets(text, r);
  add_time(text, r);
  add_reasons(text, "vacuous, not a pass, because", r.vacuous_reasons, r.verdicts.at("vacuous"),
              r.cases);
  add_reasons(text, "skipped because", r.skip_reasons, r.verdicts.at("skip"), r.cases);
  if (r.unreadable_seeds > 0)
    text += fmt::format("\nseeds: {} left out that cannot be read, {} taken",
                        with_commas(r.unreadable_seeds), with_commas(r.seeds));
  for (const std::string& line : unavailable_lines(r.unavailable))
    text += fmt::format("\nnot available: {}", line);
  for (const auto& [subject, why] : r.stopped) text += fmt::format("\n{}: {}", subject, why);
  for (const std::string& error : r.errors) text += fmt::format("\nerror: {}", error);
  text += fmt::format("\nenvironment: {}\n", describe(r.environment));
  text += fmt::format("report:      {}\n", r.out.string());
  const int code = r.exit_code();
  text += fmt::format("exit code {}: {}{}\n", code, exit_code_meaning(code),
                      code == 5 ? ": " + r.too_little() : "");
  return text;
}

}  // namespace ulpfuzz
