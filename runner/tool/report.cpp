#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "../say.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

using report::Night;

struct ReportOptions {
  std::filesystem::path folder, out;
  std::string json, format;
};

std::string formatted(const Night& night, const ReportOptions& o) {
  if (o.format == "markdown") return to_markdown(night);
  if (o.format == "junit") return to_junit(night, o.folder);
  if (o.format == "sarif") return to_sarif(night);
  if (o.format == "html") return to_html(night, o.folder);
  return to_text(night);
}

/// That of the night; of one that is not over, or was killed, what it has found until now.
int exit_code(const Night& night) {
  if (!night.running) return night.exit_code;
  const int code = nightly::exit_code(night);
  return code == 0 || code == 6 ? too_little : code;
}

/// False if a file could not be written; says which.
bool write_files(const report::Found& found, const ReportOptions& o) {
  if (!o.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(o.out, error);  // if not, each file says so
  }
  // summary.json of a plain run stays what it is.
  const bool in_place = o.out.empty();
  const auto failed = write_reports(found.night, in_place ? o.folder : o.out, o.folder,
                                    !(in_place && found.plain_run));
  for (const std::string& line : failed) say(stderr, fmt::format("ulpfuzz: {}\n", line));
  return failed.empty();
}

int run(const ReportOptions& o) {
  if (!o.json.empty() && !is_stdout(o.json) && !can_write(o.json)) return infrastructure;
  const report::Found found = report::read_report(o.folder);
  check_not_input(o.json, o.folder / "summary.json");
  if (is_stdout(o.json))
    say(stderr, formatted(found.night, o));
  else
    answer(stdout, formatted(found.night, o));
  const bool only_printed = !o.format.empty() && o.out.empty();
  const bool written = only_printed || write_files(found, o);
  const bool copied = write_json(o.json, to_json(found.night));
  return written && copied ? exit_code(found.night) : infrastructure;
}

}  // namespace

void add_report(CLI::App& app, int& code) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand(
      "report", "Write the reports of a night, or of a run, again, and return its exit code");
  verb->add_option("folder", o->folder, "What `nightly`, `merge` or `run` reported into")
      ->required()
      ->type_name("DIR");
  verb->add_option("--out", o->out, "Write them into this folder instead")->type_name("DIR");
  verb->add_option("--json", o->json, "The summary for machines; - is stdout")->type_name("FILE");
  verb->add_option("--format", o->format, "Print this one instead of the text, and write no file")
      ->check(CLI::IsMember({"text", "markdown", "junit", "sarif", "html"}))
      ->type_name("NAME");
  verb->footer(
      "Writes summary.txt, report.md, junit.xml, results.sarif and index.html from summary.json,\n"
      "also of a night that was killed: what it had found until then. A night that is not over "
      "has\n"
      "exit code 5 at best.\n"
      "Example:\n  ulpfuzz report night --format markdown");
  verb->callback([o, &code] { code = run(*o); });
}

}  // namespace ulpfuzz::tool
