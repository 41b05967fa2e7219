#include "ulpfuzz/runner/replay.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "../say.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/signals.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Replay {
  std::vector<std::filesystem::path> paths;
  ReplayOptions options;
  std::string json;
};

/// Files of all paths; one that is not there does not keep the others from being replayed.
std::vector<ReplayedCase> find_files(const Replay& r) {
  std::vector<ReplayedCase> all;
  for (const auto& path : r.paths) {
    try {
      for (const auto& file : case_files({path})) all.emplace_back().file = file;
    } catch (const std::exception& error) {
      all.emplace_back().file = path;
      all.back().error = error.what();
    }
  }
  return all;
}

void replay_into(ReplayedCase& result, const ReplayOptions& options, const Registry& registry,
                 std::FILE* stream) {
  try {
    if (result.error.empty()) result = replay(result.file, options, registry);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  if (result.error.empty()) return answer(stream, to_text(result) + "\n");
  const std::string file = result.file.string();
  const std::string name = result.error.starts_with(file) ? "" : file + ": ";
  say(stderr, fmt::format("ulpfuzz: {}{}\n", name, result.error));
}

int run(Replay& r) {
  const Registry registry = all_subjects();
  select_subjects(registry, r.options.subjects);  // wrong usage, whatever the files say
  select_properties(r.options.properties);
  const bool unavailable = any_unavailable(registry, r.options.subjects);
  const bool json_only = is_stdout(r.json);
  if (!r.json.empty() && !json_only && !can_write(r.json)) return infrastructure;
  const SignalGuard signals;
  r.options.cancelled = [&signals] { return signals.requests() > 0; };
  std::vector<ReplayedCase> all = find_files(r);
  for (const ReplayedCase& result : all) check_not_input(r.json, result.file);
  for (ReplayedCase& result : all) {
    replay_into(result, r.options, registry, json_only ? stderr : stdout);
    if (!r.options.cancelled()) continue;
    result.interrupted = true;
    all.resize(static_cast<std::size_t>(&result - all.data()) + 1);
    say(stderr, "ulpfuzz: interrupted\n");
    break;
  }
  const int code = unavailable ? infrastructure : exit_code(all);
  return write_json(r.json, to_json(all, code)) ? code : infrastructure;
}

}  // namespace

void add_replay(CLI::App& app, int& code) {
  auto r = std::make_shared<Replay>();
  CLI::App* verb = app.add_subcommand("replay", "Run case files again");
  verb->add_option("paths", r->paths, "Case files, or folders of them")
      ->required()
      ->type_name("FILE|DIR");
  add_selection(*verb, r->options.subjects, r->options.properties);
  add_claim(*verb, r->options.claim);
  verb->add_flag("--bitwise", r->options.check.bitwise, "Demand equal bits of batched_vs_sliced");
  add_number(*verb, "--times", r->options.times, "Run so often; all must agree in every bit", 1,
             1'000'000)
      ->default_str("1");
  add_duration(*verb, "--timeout", r->options.case_timeout, "A case that takes longer is a hang")
      ->default_str("120s");
  add_memory(*verb, r->options.memory_limit);
  verb->add_option("--json", r->json, "The same for machines; - is stdout")->type_name("FILE");
  verb->footer(
      "Without --subject and --property those of the file's notes are taken, else all honest "
      "ones.\n"
      "Example:\n  ulpfuzz replay corpus/seeds --subject openblas --times 3");
  verb->callback([r, &code] { code = run(*r); });
}

}  // namespace ulpfuzz::tool
