#include "ulpfuzz/nightly/nightly.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "../say.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

namespace fs = std::filesystem;

struct Nightly {
  nightly::NightlyOptions options;
  std::string json, shard;
  bool no_publish = false;
};

/// "2/8": the third of eight, as array jobs count.
void read_shard(Nightly& n) {
  if (n.shard.empty()) return;
  const auto slash = n.shard.find('/');
  if (slash == std::string::npos)
    throw CLI::ValidationError("--shard",
                               fmt::format("'{}' is no part; 0/8 to 7/8 would fit", n.shard));
  const auto shards = parse_number("--shard", n.shard.substr(slash + 1), 1, 1U << 20);
  n.options.shards = static_cast<unsigned>(shards);
  n.options.shard =
      static_cast<unsigned>(parse_number("--shard", n.shard.substr(0, slash), 0, shards - 1));
}

/// Targets are built beside the tool, if at all.
fs::path fuzzers_beside_the_tool() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with("fuzz_")) return folder;
  return {};
}

void check(const CLI::App& verb, Nightly& n) {
  if (n.options.out.empty()) throw CLI::ValidationError("--out", "is empty; a folder would fit");
  if (n.options.corpus.empty())
    throw CLI::ValidationError("--corpus", "is empty; a folder would fit");
  if (verb.count("--time") == 0 && verb.count("--cases") == 0)
    throw CLI::ValidationError("--time", "is needed: 10m, 1h or 8h would fit (or --cases)");
  if (verb.count("--time") != 0 && verb.count("--cases") != 0)
    throw CLI::ValidationError("--cases", "given beside --time; drop one");
  if (verb.count("--json") != 0 && n.json.empty())
    throw CLI::ValidationError("--json", "is empty; a file, or - for stdout, would fit");
}

/// What is read is refused before anything runs.
void check_input(const nightly::NightlyOptions& o) {
  for (const auto* folders : {&o.regressions, &o.seeds})
    for (const fs::path& folder : *folders)
      if (!fs::is_directory(folder))
        throw FileError(fmt::format("{}: is no folder; name one with case files", folder.string()));
  if (!o.fuzzers.empty() && !fs::is_directory(o.fuzzers))
    throw FileError(fmt::format("{}: is no folder; name the one of the programs fuzz_PROPERTY",
                                o.fuzzers.string()));
  if (!o.known.empty() && !fs::exists(o.known))
    throw FileError(fmt::format("{}: is not there; a list of known buckets would fit (or none)",
                                o.known.string()));
  nightly::read_known(o.known.empty() ? o.corpus / "known.json" : o.known);
}

void add_what_is_not_given(const CLI::App& verb, nightly::NightlyOptions& o) {
  const bool seed = verb.count("--seed") == 0, fuzzers = verb.count("--fuzzers") == 0;
  if (!seed && !fuzzers) return;
  const nightly::BegunNight other =
      o.resume ? nightly::begun_night(o.out)
               : nightly::BegunNight{random_seed(), fuzzers_beside_the_tool()};
  if (seed) o.seed = other.seed;
  if (fuzzers) o.fuzzers = other.fuzzers;
}

int run(Nightly& n, const CLI::App& verb) {
  check(verb, n);
  check_input(n.options);
  nightly::NightlyOptions& o = n.options;
  read_shard(n);
  add_what_is_not_given(verb, o);
  o.publish = !n.no_publish;
  if (!n.json.empty() && !is_stdout(n.json) && !can_write(n.json)) return infrastructure;
  o.progress = isatty(STDERR_FILENO) != 0;
  o.report = [](const std::string& line) { ulpfuzz::say(stderr, line + "\n"); };
  report::Night night;
  try {
    o.report(fmt::format("ulpfuzz nightly: seed {}, report in {}", o.seed, o.out.string()));
    night = nightly::run_nightly(o, all_subjects());
  } catch (const FileError& error) {
    ulpfuzz::say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  answer(is_stdout(n.json) ? stderr : stdout, report::to_text(night));
  if (!n.json.empty() && !write_json(n.json, report::to_json(night))) return infrastructure;
  return night.exit_code;
}

void add_folders(CLI::App& verb, nightly::NightlyOptions& o) {
  verb.add_option("--out", o.out, "Report folder, new")->type_name("DIR")->required();
  verb.add_option("--corpus", o.corpus, "What lives from night to night; made if not there")
      ->type_name("DIR")
      ->required();
  verb.add_option("--regressions", o.regressions, "Cases that must pass; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  verb.add_option("--seeds", o.seeds, "Cases that search begins with; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  verb.add_option("--known", o.known, "Known buckets (default: known.json of the corpus)")
      ->type_name("FILE");
  verb.add_option("--fuzzers", o.fuzzers,
                  "libFuzzer targets (default: the tool's folder, if it has any)")
      ->type_name("DIR");
}

void add_limits(CLI::App& verb, Nightly& n) {
  add_sizes(verb, n.options.limits);
  add_duration(verb, "--timeout", n.options.case_timeout, "A case that takes longer is a hang")
      ->default_str("20s");
  add_memory(verb, n.options.memory_limit);
}

}  // namespace

void add_nightly(CLI::App& app, int& code) {
  auto n = std::make_shared<Nightly>();
  nightly::NightlyOptions& o = n->options;
  o.jobs = std::clamp(std::thread::hardware_concurrency(), 1U, most_jobs);
  CLI::App* verb = app.add_subcommand("nightly",
                                      "A night's work: check itself, replay, fuzz, "
                                      "search, shrink, report");
  add_duration(*verb, "--time", o.seconds, "For all phases together: 10m, 1h, 8h");
  add_number(*verb, "--cases", o.cases,
             "Instead of a time: so many random cases, and as many by search", 1, any_number);
  add_folders(*verb, o);
  add_selection(*verb, o.subjects, o.properties);
  add_claim(*verb, o.claim);
  add_number(*verb, "--seed", o.seed, "Seed of the cases (default: random, printed)", 0,
             any_number);
  add_number(*verb, "--jobs", o.jobs, "Worker processes", 1, most_jobs)
      ->default_str(std::to_string(o.jobs));
  verb->add_option("--shard", n->shard, "This one of several nights on one corpus: 0/8")
      ->type_name("I/N");
  add_limits(*verb, *n);
  verb->add_flag("--no-publish", n->no_publish, "Leave nothing in the corpus for the next night");
  verb->add_flag("--resume", o.resume, "Go on with the night in --out that was killed or stopped");
  verb->add_option("--json", n->json, "Copy of summary.json; - is stdout")->type_name("FILE");
  verb->footer(
      "Exit code 0: nothing new; 1: new or open failures; 2: usage; 3: one has returned;\n"
      "4: infrastructure; 5: too little was executed; 6: only flaky failures.\n"
      "Example:\n  ulpfuzz nightly --time 8h --out nights/today --corpus corpus\n"
      "then open nights/today/index.html.");
  verb->callback([n, verb, &code] { code = run(*n, *verb); });
}

}  // namespace ulpfuzz::tool
