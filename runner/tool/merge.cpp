#include <CLI/CLI.hpp>
#include <memory>

#include "../say.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Merge {
  nightly::MergeOptions options;
  std::string json;
};

void check(const CLI::App& verb, const Merge& m) {
  if (m.options.out.empty()) throw CLI::ValidationError("--out", "is empty; a folder would fit");
  for (const char* option : {"--corpus", "--known", "--json"})
    if (verb.count(option) != 0 && verb.get_option(option)->as<std::string>().empty())
      throw CLI::ValidationError(option, "is empty; name one, or leave the option out");
}

int run(const Merge& m, const CLI::App& verb) {
  check(verb, m);
  if (!m.json.empty() && !is_stdout(m.json) && !can_write(m.json)) return infrastructure;
  const report::Night night = nightly::merge(m.options);
  answer(is_stdout(m.json) ? stderr : stdout, report::to_text(night));
  if (!write_json(m.json, report::to_json(night))) return infrastructure;
  return night.exit_code;
}

}  // namespace

void add_merge(CLI::App& app, int& code) {
  auto m = std::make_shared<Merge>();
  nightly::MergeOptions& o = m->options;
  CLI::App* verb = app.add_subcommand("merge", "Unite nights that were shared out in one report");
  verb->add_option("folder", o.folders, "What `nightly` or `merge` reported into")
      ->required()
      ->type_name("DIR");
  verb->add_option("--out", o.out, "Report folder, new or of an earlier merge, which is added to")
      ->required()
      ->type_name("DIR");
  verb->add_option("--corpus", o.corpus, "Leave there what the next night begins with")
      ->type_name("DIR");
  verb->add_option("--known", o.known,
                   "Known buckets (default: known.json of the corpus, or what "
                   "the nights had)")
      ->type_name("FILE");
  verb->add_option("--json", m->json, "Copy of summary.json; - is stdout")->type_name("FILE");
  verb->footer(
      "The result depends on the set of nights alone: in any order, all at once or one by one, "
      "and\n"
      "as often as one likes. A night whose summary is damaged is left out, named, and makes the\n"
      "exit code 4; so does one that is not over.\n"
      "Exit codes are those of 'ulpfuzz nightly'.\n"
      "Example:\n  ulpfuzz merge shards/* --out night --corpus corpus");
  verb->callback([m, verb, &code] { code = run(*m, *verb); });
}

}  // namespace ulpfuzz::tool
