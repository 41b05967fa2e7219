#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <thread>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/report.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Run {
  CampaignOptions options;
  std::string json;
  bool plain = false;
  bool timed = false;
};

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 16 ^ device()) & 0xffffffffffff;  // short enough to type
}

int run(Run& r, const CLI::App& verb) {
  CampaignOptions& o = r.options;
  if (verb.count("--seed") == 0) o.seed = random_seed();
  if (verb.count("--time") == 0 && o.cases == 0 && !o.index) o.seconds = 60;
  if (r.plain) o.limits.kind = generators::Limits::Kind::plain;
  o.progress = isatty(STDERR_FILENO) != 0;
  o.report = [](const std::string& line) {
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
  };
  fmt::print(stderr, "ulpfuzz run: seed {}, {} worker{}\n", o.seed, o.jobs, o.jobs == 1 ? "" : "s");
  CampaignResult result;
  try {
    result = run_campaign(o, all_subjects());
  } catch (const FileError& error) {
    fmt::print(stderr, "ulpfuzz: {}\n", error.what());
    return infrastructure;
  }
  fmt::print("{}", summary_text(o, result));
  if (!r.json.empty()) {
    try {
      write_file_atomically(r.json, summary_json(o, result));
    } catch (const FileError& error) {
      fmt::print(stderr, "ulpfuzz: {}\n", error.what());
      return infrastructure;
    }
  }
  return result.exit_code();
}

void add_limits(CLI::App& verb, Run& r) {
  CampaignOptions& o = r.options;
  verb.add_option("--max-batch", o.limits.batch, "Largest batch")->capture_default_str();
  verb.add_option("--max-width", o.limits.width, "Largest width")->capture_default_str();
  verb.add_option("--max-depth", o.limits.depth, "Most layers")->capture_default_str();
  verb.add_flag("--plain", r.plain, "The fixed distribution of bench/throughput");
}

void add_findings(CLI::App& verb, Run& r) {
  CampaignOptions& o = r.options;
  add_duration(verb, "--timeout", o.case_timeout,
               "A case that takes longer is a hang (default 20s)");
  verb.add_option("--shrink-evaluations", o.shrink_evaluations,
                  "Most evaluations of one shrink; 0: do not shrink")
      ->capture_default_str();
  add_duration(verb, "--shrink-time", o.shrink_seconds, "Longest time of one shrink (default 30s)");
  verb.add_flag("--fail-fast", o.fail_fast, "Stop at the first confirmed failure");
}

}  // namespace

void add_run(CLI::App& app, int& code) {
  auto r = std::make_shared<Run>();
  CampaignOptions& o = r->options;
  o.jobs = std::max(1U, std::thread::hardware_concurrency());
  CLI::App* verb = app.add_subcommand("run", "Fuzz for a time or a number of cases");
  add_selection(*verb, o.subjects, o.properties);
  verb->add_flag("--faults", o.faults, "Subjects made wrong on purpose, too");
  verb->add_option("--seed", o.seed, "Seed of the cases (default: random, printed)")
      ->type_name("N");
  add_duration(*verb, "--time", o.seconds,
               "Stop after 90, 90s, 2m, 1h (default 60s without --cases)");
  verb->add_option("--cases", o.cases, "Stop after so many cases")->type_name("N");
  verb->add_option("--index", o.index, "Only this case of the seed, on each subject and property")
      ->type_name("I");
  verb->add_option("--jobs", o.jobs, "Worker processes")->type_name("N")->capture_default_str();
  verb->add_option("--out", o.out, "Report folder (default ulpfuzz-out/TIME-SEED)")
      ->type_name("DIR");
  verb->add_option("--json", r->json, "Copy of summary.json")->type_name("FILE");
  verb->add_flag("--bitwise", o.check.bitwise, "Demand equal bits of batched_vs_sliced");
  add_limits(*verb, *r);
  add_findings(*verb, *r);
  verb->footer(
      "Example: two minutes on one library, the same cases as last time\n"
      "  ulpfuzz run --subject openblas --time 2m --seed 7 --out report\n"
      "Findings are under DIR/findings/BUCKET/: minimal.case.json replays, minimal.txt explains.");
  verb->callback([r, verb, &code] { code = run(*r, *verb); });
}

}  // namespace ulpfuzz::tool
