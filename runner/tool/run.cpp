#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "../say.hpp"
#include "ulpfuzz/core/named_arithmetics.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/report.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Run {
  CampaignOptions options;
  std::string json;
  std::vector<std::filesystem::path> cases;
  bool plain = false;
  bool timed = false;
};

void check(const CLI::App& verb, const Run& r) {
  for (const char* option :
       {"--seed", "--index", "--cases", "--plain", "--max-batch", "--max-width", "--max-depth"})
    if (!r.cases.empty() && verb.count(option) != 0)
      throw CLI::ValidationError(
          option, "given beside --case: all of these cases are run, and none is drawn; drop one");
  if (r.options.search == Search::climb)
    for (const char* option : {"--case", "--index"})
      if (verb.count(option) != 0)
        throw CLI::ValidationError(
            option, "given beside --search climb, which goes from case to case; drop one");
  if (r.options.search != Search::climb && !r.options.seeds.empty())
    throw CLI::ValidationError("--seeds",
                               "are what climbing begins with; add --search climb, or run them "
                               "themselves with --case");
  if (verb.count("--corpus") != 0 && r.options.corpus.empty())
    throw CLI::ValidationError("--corpus", "is empty; a folder would fit");
  if (r.options.index && verb.count("--seed") == 0)
    throw CLI::ValidationError("--index", "needs --seed: it is a case of that seed");
  if (verb.count("--out") != 0 && r.options.out.empty())
    throw CLI::ValidationError("--out", "is empty; a folder would fit");
  if (verb.count("--json") != 0 && r.json.empty())
    throw CLI::ValidationError("--json", "is empty; a file, or - for stdout, would fit");
}

/// What all of the cases were judged by, as their notes have it: a campaign judges by one.
std::string noted_claim(const std::vector<GivenCase>& cases) {
  const auto or_none = [](const std::string& claim) { return claim.empty() ? "none" : claim; };
  std::string all;
  for (const GivenCase& c : cases) {
    const std::string claim = note_of(c.content, "claim");
    if (!claim.empty() && !arithmetic_from(claim))
      throw FileError(fmt::format("{}: no arithmetic '{:.40}'; there are: {}", c.name.string(),
                                  claim, arithmetic_names()));
    if (&c == &cases.front()) all = claim;
    if (claim != all)
      throw FileError(
          fmt::format("{}: its notes name the claim {}, those of {} {}; run them apart, "
                      "or name one for all with --claim",
                      c.name.string(), or_none(claim), cases.front().name.string(), or_none(all)));
  }
  return all;
}

/// Unreadable input is refused before anything runs.
void read_cases(Run& r) {
  for (const auto& file : case_files(r.cases)) {
    check_not_input(r.json, file);
    r.options.given.push_back({file, read_case(file)});
  }
  if (r.options.claim.empty()) r.options.claim = noted_claim(r.options.given);
  for (const std::filesystem::path& seeds : r.options.seeds)
    if (!std::filesystem::exists(seeds))
      throw FileError(fmt::format("{}: does not exist; seeds are case files or folders of them",
                                  seeds.string()));
}

int run(Run& r, const CLI::App& verb) {
  check(verb, r);
  read_cases(r);
  CampaignOptions& o = r.options;
  const bool json_only = is_stdout(r.json);
  if (verb.count("--seed") == 0 && o.given.empty()) o.seed = random_seed();
  if (o.seconds == 0 && o.cases == 0 && !o.index && o.given.empty()) o.seconds = 60;
  if (r.plain) o.limits.kind = generators::Limits::Kind::plain;
  if (!json_only) o.copy = r.json;
  o.progress = isatty(STDERR_FILENO) != 0;
  o.report = [](const std::string& line) { say(stderr, line + "\n"); };
  CampaignResult result;
  try {
    result = run_campaign(o, all_subjects());
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  say(json_only ? stderr : stdout, summary_text(o, result));
  if (json_only) answer(stdout, summary_json(o, result));
  return result.exit_code();
}

void add_limits(CLI::App& verb, Run& r) {
  add_sizes(verb, r.options.limits);
  verb.add_flag("--plain", r.plain, "The fixed distribution of bench/throughput");
}

void add_search(CLI::App& verb, CampaignOptions& o) {
  verb.add_option_function<std::string>(
          "--search",
          [&o](const std::string& way) {
            if (way != "random" && way != "climb")
              throw CLI::ValidationError(
                  "--search", fmt::format("'{:.40}' is no way to search; random or climb", way));
            o.search = way == "climb" ? Search::climb : Search::random;
          },
          "random: each case drawn anew; climb: most are mutations of the worst so far")
      ->type_name("random|climb")
      ->default_str("random");
  verb.add_option("--seeds", o.seeds,
                  "Case files, or folders of them, that climbing begins with; repeatable")
      ->type_name("FILE|DIR")
      ->allow_extra_args(false);
  verb.add_option("--corpus", o.corpus,
                  "Where cases worth keeping go (climbing: default OUT/corpus; else nowhere)")
      ->type_name("DIR");
}

void add_findings(CLI::App& verb, Run& r) {
  CampaignOptions& o = r.options;
  add_duration(verb, "--timeout", o.case_timeout, "A case that takes longer is a hang")
      ->default_str("20s");
  add_memory(verb, o.memory_limit);
  add_number(verb, "--shrink-evaluations", o.shrink_evaluations,
             "Most evaluations of one shrink; 0: do not shrink", 0, any_number)
      ->default_str(std::to_string(o.shrink_evaluations));
  add_duration(verb, "--shrink-time", o.shrink_seconds, "Longest time of one shrink")
      ->default_str("30s");
  verb.add_flag("--fail-fast", o.fail_fast,
                "Stop at the first confirmed failure, once it is small");
}

}  // namespace

void add_run(CLI::App& app, int& code) {
  auto r = std::make_shared<Run>();
  CampaignOptions& o = r->options;
  o.jobs = std::clamp(std::thread::hardware_concurrency(), 1U, most_jobs);
  CLI::App* verb = app.add_subcommand("run", "Fuzz for a time or a number of cases");
  add_selection(*verb, o.subjects, o.properties);
  add_claim(*verb, o.claim);
  verb->add_flag("--faults", o.faults, "Subjects made wrong on purpose, too");
  add_number(*verb, "--seed", o.seed, "Seed of the cases (default: random, printed)", 0,
             any_number);
  add_duration(*verb, "--time", o.seconds,
               "Stop after 90, 90s, 2m, 1h (default 60s; with --cases or --case no limit)");
  add_number(*verb, "--cases", o.cases, "Stop after so many cases (default: no limit)", 1,
             any_number);
  add_number(*verb, "--index", o.index, "Only this case of --seed, on each subject and property", 0,
             any_number)
      ->type_name("I");
  verb->add_option("--case", r->cases,
                   "Run these case files, or folders of them, instead of drawing any; repeatable")
      ->type_name("FILE|DIR")
      ->allow_extra_args(false);
  add_number(*verb, "--jobs", o.jobs, "Worker processes", 1, most_jobs)
      ->default_str(std::to_string(o.jobs));
  verb->add_option("--out", o.out,
                   "Report folder, new or without a report (default ulpfuzz-out/TIME-SEED)")
      ->type_name("DIR");
  verb->add_option("--json", r->json, "Copy of summary.json; - is stdout")->type_name("FILE");
  verb->add_flag("--bitwise", o.check.bitwise, "Demand equal bits of batched_vs_sliced");
  add_search(*verb, o);
  add_limits(*verb, *r);
  add_findings(*verb, *r);
  verb->footer(
      "Example: two minutes on one library, the same cases as last time\n"
      "  ulpfuzz run --subject openblas --time 2m --seed 7 --out report\n"
      "Findings are under DIR/findings/BUCKET/: minimal.case.json replays, minimal.txt explains.");
  verb->callback([r, verb, &code] { code = run(*r, *verb); });
}

}  // namespace ulpfuzz::tool
