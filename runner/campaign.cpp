#include "ulpfuzz/runner/campaign.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>

#include "output_file.hpp"
#include "plan.hpp"
#include "supervisor.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/report.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

fs::path fresh_folder(const std::string& origin) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(now), origin);
  fs::path folder = fs::path("ulpfuzz-out") / name;
  for (int n = 2; fs::exists(folder); ++n)
    folder = fs::path("ulpfuzz-out") / fmt::format("{}-{}", name, n);
  return folder;
}

void check(const CampaignOptions& o) {
  if (o.jobs < 1 || o.jobs > most_jobs)
    throw std::invalid_argument(fmt::format("jobs is {}; 1 to {} would fit", o.jobs, most_jobs));
  if (o.index && !o.given.empty())
    throw std::invalid_argument("index is a case of the seed, and cases are given; drop one");
  if (o.search == Search::climb && (o.index || !o.given.empty()))
    throw std::invalid_argument(fmt::format("search climbs from case to case, and {}; drop one",
                                            o.index ? "index is one alone" : "cases are given"));
  if (o.search != Search::climb && !o.seeds.empty())
    throw std::invalid_argument("seeds are what climbing begins with; search = climb would fit");
  if (!(o.seconds >= 0))
    throw std::invalid_argument(
        fmt::format("seconds is {}; 0 (no limit) or more would fit", o.seconds));
  if (!(o.statistics_interval > 0))
    throw std::invalid_argument(fmt::format(
        "statistics_interval is {}; more than 0 seconds would fit", o.statistics_interval));
  if (!(o.case_timeout > 0))
    throw std::invalid_argument(
        fmt::format("case_timeout is {}; more than 0 seconds would fit", o.case_timeout));
}

/// A folder that no other run reports into, neither now nor before. Finds out at once, not at the
/// first finding, that nothing can be written.
FolderLock report_folder(const fs::path& out) {
  auto lock = FolderLock::if_free(out);
  if (!lock)
    throw FileError(
        fmt::format("{}: another run reports into it; choose another --out", out.string()));
  // Where no locks are known, this still keeps runs apart.
  std::error_code error;
  if (fs::exists(out / "summary.json", error) || fs::is_directory(out / "findings", error) ||
      fs::is_directory(out / "findings-flaky", error))
    throw std::invalid_argument(fmt::format(
        "{} holds the report of another run; remove it or choose another --out", out.string()));
  return std::move(*lock);
}

/// Each of the files, whatever becomes of the others.
void write_files(const CampaignOptions& options, CampaignResult& r) {
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const FileError& error) {
      if (std::find(r.errors.begin(), r.errors.end(), error.what()) != r.errors.end()) return;
      r.errors.emplace_back(error.what());
      if (options.report) options.report(fmt::format("error: {}", error.what()));
    }
  };
  attempt([&] { write_file_atomically(options.out / "summary.txt", summary_text(options, r)); });
  attempt([&] { write_file_atomically(options.out / "summary.json", summary_json(options, r)); });
  if (!options.copy.empty()) attempt([&] { write_output(options.copy, summary_json(options, r)); });
}

void write_summary(const CampaignOptions& options, CampaignResult& r) {
  const std::size_t errors = r.errors.size();
  write_files(options, r);
  // An error changes the exit code, which the files that could be written are to name.
  if (r.errors.size() > errors) write_files(options, r);
}

}  // namespace

void collect_counts(CampaignResult& r, const Plan& plan, const SharedState& state,
                    std::size_t workers) {
  static constexpr std::array outcomes{Outcome::pass, Outcome::fail, Outcome::vacuous,
                                       Outcome::skip};
  for (const Outcome o : outcomes) r.verdicts[std::string(name(o))] = 0;
  for (std::size_t p = 0; p < plan.pairs.size(); ++p) {
    const Pair& pair = plan.pairs[p];
    PairCounts counts;
    counts.property = pair.property->name;
    counts.subject = pair.subject->name();
    counts.rare = pair.rare;
    for (std::size_t w = 0; w < workers; ++w) {
      const Counters& c = state.counters(w)[p];
      counts.cases += c.cases;
      counts.pass += c.verdicts[static_cast<std::size_t>(Outcome::pass)];
      counts.fail += c.verdicts[static_cast<std::size_t>(Outcome::fail)];
      counts.vacuous += c.verdicts[static_cast<std::size_t>(Outcome::vacuous)];
      counts.skip += c.verdicts[static_cast<std::size_t>(Outcome::skip)];
      counts.share_max = std::max(counts.share_max, c.share_max);
      for (std::size_t b = 0; b < share_bins; ++b) counts.shares[b] += c.shares[b];
      for (std::size_t t = 0; t < tier_count; ++t) {
        counts.elements += c.elements[t];
        r.elements_by_tier[std::string(name(static_cast<Tier>(t)))] += c.elements[t];
      }
    }
    r.cases += counts.cases;
    r.elements += counts.elements;
    r.verdicts["pass"] += counts.pass;
    r.verdicts["fail"] += counts.fail;
    r.verdicts["vacuous"] += counts.vacuous;
    r.verdicts["skip"] += counts.skip;
    if (counts.cases > 0) r.share_max[counts.property][counts.subject] = counts.share_max;
    r.pairs.push_back(std::move(counts));
  }
  for (const char* key : {"generate", "evaluate", "bound", "other", "findings"}) r.time[key] = 0;
  for (std::size_t w = 0; w < workers; ++w) {
    const Slot& s = state.slot(w);
    r.statistics.add(s.statistics);
    r.corpus += s.corpus;
    r.time["generate"] += s.generate;
    r.time["evaluate"] += s.evaluate;
    r.time["bound"] += s.bound;
    r.time["findings"] += s.findings;
    r.time["other"] += std::max(0.0, s.wall - s.generate - s.evaluate - s.bound - s.findings);
  }
}

CampaignResult run_campaign(const CampaignOptions& given, const Registry& subjects) {
  CampaignOptions options = given;
  check(options);
  const Registry judged = options.claim.empty() ? Registry{} : judged_as(options.claim, subjects);
  const Plan plan = make_plan(options, options.claim.empty() ? subjects : judged);
  if (options.index) options.cases = plan.pairs.size();
  if (!options.given.empty() && (options.cases == 0 || options.cases > plan.given.size()))
    options.cases = plan.given.size();
  if (options.out.empty())
    options.out = fresh_folder(options.given.empty() ? std::to_string(options.seed) : "given");
  if (!options.copy.empty()) check_output(options.copy);
  const FolderLock folder = report_folder(options.out);
  if (options.report)
    options.report(
        fmt::format("ulpfuzz run: {}, {}", origin_of(options), counted(options.jobs, "worker")));
  Environment environment = environment_of(plan.subjects);
  environment.claim = options.claim;
  if (options.search == Search::climb && options.corpus.empty())
    options.corpus = options.out / "corpus";
  const Climbs climbs(options, plan, [&options](const std::string& line) {
    if (options.report) options.report(line);
  });
  Supervisor supervisor(options, plan, climbs, std::move(environment));
  for (const std::string& asked : options.subjects) {
    const auto why = plan.unavailable.find(asked);
    if (why != plan.unavailable.end())
      supervisor.add_error(fmt::format("subject {} is not available: {}", asked, why->second));
  }
  CampaignResult unfinished = supervisor.result();
  unfinished.running = true;  // what a kill would leave
  write_file_atomically(options.out / "summary.json", summary_json(options, unfinished));
  if (!plan.pairs.empty()) supervisor.run();
  CampaignResult result = supervisor.result();
  write_summary(options, result);
  return result;
}

}  // namespace ulpfuzz
