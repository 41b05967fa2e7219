#include "ulpfuzz/runner/replay.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "ulpfuzz/network/case_file.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Replay {
  std::vector<std::filesystem::path> paths;
  ReplayOptions options;
  std::string json;
};

int run(const Replay& r) {
  const Registry registry = all_subjects();
  std::vector<ReplayedCase> all;
  bool unreadable = false;
  for (const auto& file : case_files(r.paths)) {
    try {
      all.push_back(replay(file, r.options, registry));
    } catch (const FileError& error) {
      // The other files are still worth replaying.
      fmt::print(stderr, "ulpfuzz: {}\n", error.what());
      unreadable = true;
      continue;
    }
    fmt::print("{}\n", to_text(all.back()));
    std::fflush(stdout);
  }
  if (!r.json.empty()) write_file_atomically(r.json, to_json(all));
  const int code = exit_code(all);
  return unreadable && code != 1 && code != 3 ? usage_error : code;
}

}  // namespace

void add_replay(CLI::App& app, int& code) {
  auto r = std::make_shared<Replay>();
  CLI::App* verb = app.add_subcommand("replay", "Run case files again");
  verb->add_option("paths", r->paths, "Case files, or folders of them")
      ->required()
      ->type_name("FILE|DIR");
  add_selection(*verb, r->options.subjects, r->options.properties);
  verb->add_flag("--bitwise", r->options.check.bitwise, "Demand equal bits of batched_vs_sliced");
  verb->add_option("--times", r->options.times, "Run so often; all must agree in every bit")
      ->check(CLI::Range(1U, 1000000U))
      ->capture_default_str();
  add_duration(*verb, "--timeout", r->options.case_timeout,
               "A case that takes longer is a hang (default 120s)");
  verb->add_option("--json", r->json, "The same for machines")->type_name("FILE");
  verb->footer(
      "Without --subject and --property those of the file's notes are taken, else all honest "
      "ones.\n"
      "Example:\n  ulpfuzz replay corpus/seeds --subject openblas --times 3");
  verb->callback([r, &code] { code = run(*r); });
}

}  // namespace ulpfuzz::tool
