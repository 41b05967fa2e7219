#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "shrink/peer.hpp"
#include "shrink/report.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr const char* about =
    "Shrinks failures of planted faults whose simplest failing case is known, and says how far "
    "from it the results are.\n"
    "gap: the sum over the structural numbers of `ulpfuzz complexity` (nodes ... rank of ops) of "
    "what a result has above\n"
    "the simplest case. normal: 1 - (distinct results - 1) / (starts - 1), numbers included. "
    "slips: results that fail\n"
    "with another class or named cause than their start, or on the honest subject `loops` too. "
    "repro: part of 20 replays\n"
    "in fresh memory that fail alike; a failure that comes and goes has 32 calls a replay. Goals, "
    "else the exit code is 1:\n"
    "median gap 0 for 14 of 16 faults and at most 1 for the rest, no slips, repro 1, medians of at "
    "most 600 evaluations\n"
    "and 1 second. rapidcheck: its own shrinks of the same starts as lists of layers, widths, "
    "splits and numbers; capped:\n"
    "starts at which it was stopped.";

struct Options {
  std::uint64_t seed = 1;
  std::size_t starts = 30;
  std::string fault = "*";
  std::size_t peer_starts = 30;
  PeerLimits peer;
  bool no_peer = false, components = false, list = false;
  std::string json;
};

bool matches(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() != '*')
    return !text.empty() && (glob.front() == '?' || glob.front() == text.front()) &&
           matches(glob.substr(1), text.substr(1));
  return matches(glob.substr(1), text) || (!text.empty() && matches(glob, text.substr(1)));
}

Report run(const Planted& p, const Subject& subject, const Options& options) {
  Report report;
  report.name = p.name;
  try {
    report.optimum = structure(optimum(p, subject).value);
  } catch (const std::logic_error& e) {
    report.error = e.what();
    return report;
  }
  for (const Start& start : find_starts(p, subject, options.seed, options.starts)) {
    report.trials.push_back(run_trial(p, subject, start, report.optimum));
    const Trial& t = report.trials.back();
    if (options.list && (t.gap > 0 || t.slipped || t.reproduced < 1 || t.below))
      fmt::print("  case {}: {} evaluations, gap {}{}{}, share {:.3g} of {:.3g}: {}\n", start.index,
                 t.evaluations, t.gap, t.below ? " (below!)" : "", t.slipped ? ", slipped" : "",
                 t.share, t.start_share, t.text);
    if (options.no_peer || report.peer.size() >= options.peer_starts) continue;
    report.peer.push_back(run_peer(p, subject, start, report.optimum, options.peer));
  }
  return report;
}

int run(const Options& options) {
  const Registry faults = planted_faults();
  std::vector<Report> reports;
  print_header(!options.no_peer);
  for (const Planted& p : planted()) {
    if (!matches(options.fault, p.name)) continue;
    reports.push_back(run(p, *faults.find(p.subject), options));
    print_row(reports.back(), !options.no_peer);
  }
  if (reports.empty()) {
    fmt::print(stderr, "no fault's name matches \"{}\"; `--fault '*'` lists them\n", options.fault);
    return 2;
  }
  if (options.components) print_components(reports);
  const std::vector<std::string> missed = missed_goals(reports);
  for (const std::string& line : missed) fmt::print("missed: {}\n", line);
  if (missed.empty()) fmt::print("all goals hold\n");
  if (!options.json.empty()) {
    nlohmann::json all = nlohmann::json::array();
    for (const Report& r : reports) all.push_back(to_json(r));
    std::ofstream(options.json) << nlohmann::json{{"faults", all}}.dump(2) << "\n";
  }
  return missed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  using namespace ulpfuzz::bench;
  Options options;
  CLI::App app{about};
  app.add_option("--seed", options.seed, "of the cases drawn");
  app.add_option("--starts", options.starts, "failing cases a fault");
  app.add_option("--fault", options.fault, "GLOB over the faults' names");
  app.add_flag("--no-peer", options.no_peer, "without RapidCheck's own shrinking");
  app.add_option("--peer-starts", options.peer_starts, "so many of the starts for RapidCheck");
  app.add_option("--peer-seconds", options.peer.seconds, "most that RapidCheck gets a start");
  app.add_option("--peer-evaluations", options.peer.evaluations, "the same");
  app.add_flag("--components", options.components, "the gap component by component");
  app.add_flag("--list", options.list, "each result that is not the optimum");
  app.add_option("--json", options.json, "FILE for the figures");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return run(options);
}
