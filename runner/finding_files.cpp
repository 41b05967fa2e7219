#include "finding_files.hpp"

#include <fmt/format.h>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view suffix = ".case.json";

}  // namespace

FindingFiles::FindingFiles(const CampaignOptions& options, std::string environment)
    : options_(options), environment_(std::move(environment)) {}

std::string FindingFiles::bucket(const Pair& pair, const Verdict& verdict) const {
  const std::string id = bucket_id(*pair.property, *pair.subject, verdict);
  return options_.claim.empty() ? id : id + "-as-" + options_.claim;
}

std::string FindingFiles::regenerate_command(const Pair& pair, std::uint64_t number) const {
  const bool given = !options_.given.empty();
  const std::string origin =
      given ? fmt::format("--case {}", shell_word(options_.given[number].name.string()))
            : fmt::format("--seed {} --index {}", options_.seed, number);
  std::string text = fmt::format("ulpfuzz run {} --property {} --subject {}", origin,
                                 shell_word(pair.property->name), shell_word(pair.subject->name()));
  if (given) return text + how_judged(number);
  const generators::Limits usual;
  const generators::Limits& l = options_.limits;
  if (l.depth != usual.depth) text += fmt::format(" --max-depth {}", l.depth);
  if (l.width != usual.width) text += fmt::format(" --max-width {}", l.width);
  if (l.batch != usual.batch) text += fmt::format(" --max-batch {}", l.batch);
  if (l.kind == generators::Limits::Kind::plain) text += " --plain";
  return text + how_judged(number);
}

std::string FindingFiles::origin(const Finding& f) const {
  const std::string command =
      climbs() ? fmt::format("search that climbs, seed {}, {}, case {}", options_.seed,
                             counted(options_.jobs, "worker"), f.number)
               : regenerate_command(f.pair, f.number);
  return f.met_in.empty() ? command
                          : fmt::format("met while {} was shrunk, of {}", f.met_in, command);
}

std::string FindingFiles::replay_command(const fs::path& shown, const Finding& f) const {
  return fmt::format("ulpfuzz replay {} --property {} --subject {}{}", shell_word(shown.string()),
                     shell_word(f.pair.property->name), shell_word(f.pair.subject->name()),
                     how_judged(f.number));
}

std::string FindingFiles::origin_command(const Finding& f, const Case& c) const {
  if (f.met_in.empty() && !climbs()) return regenerate_command(f.pair, f.number);
  return replay_command(
      options_.out / "findings" / f.bucket / (content_hash(c) + std::string(suffix)), f);
}

std::string FindingFiles::how_judged(std::uint64_t number) const {
  std::string text = check_options(options_, number).bitwise ? " --bitwise" : "";
  if (!options_.claim.empty()) text += " --claim " + options_.claim;
  if (options_.memory_limit == 0)
    text += " --memory none";
  else if (options_.memory_limit != usual_memory_limit)
    text += fmt::format(" --memory {}M", options_.memory_limit);
  return text;
}

fs::path FindingFiles::write(const std::string& stem, const Case& c, const Finding& f) const {
  const fs::path folder = options_.out / "findings" / f.bucket;
  make_folder(folder);
  const fs::path path = folder / (stem + std::string(suffix));
  CaseFile file{c, {}};
  file.notes = {{"property", std::string(f.pair.property->name)},
                {"subject", std::string(f.pair.subject->name())},
                {"class", std::string(name(f.verdict.failure))},
                {"cause", f.cause},
                {"comment", f.verdict.reason},
                {"environment", environment_},
                {"origin", origin(f)}};
  if (!f.boundary.empty()) file.notes["boundary"] = f.boundary;
  if (!options_.claim.empty()) file.notes["claim"] = options_.claim;
  if (check_options(options_, f.number).bitwise) file.notes["bitwise"] = "yes";
  write_case(path, file);
  write_account(path, c, f);
  return path;
}

void FindingFiles::write_account(const fs::path& path, const Case& c, const Finding& f) const {
  std::string text = explain(*f.pair.property, c, *f.pair.subject, f.verdict);
  if (!text.ends_with('\n')) text += '\n';
  text += fmt::format("\nbucket:       {}\n", f.bucket);
  text += fmt::format("cause:        {}{}\n", f.cause.empty() ? "not named" : f.cause,
                      f.cause == f.verdict.cause ? "" : ", as named on the case it was found with");
  if (f.cause != f.verdict.cause)
    text += fmt::format("this case:    {}, seen by itself\n", f.verdict.cause);
  if (!options_.claim.empty())
    text += fmt::format("judged as:    {}, whatever the subject claims\n", options_.claim);
  if (!f.history.empty()) text += fmt::format("history:      {}\n", f.history);
  text += fmt::format("case:         {}\n", describe(c));
  text += fmt::format("environment:  {}\n", environment_);
  // The parent renames the smallest of the workers' minimal-N, and the severe-N with it.
  fs::path shown = path;
  for (const std::string_view stem : {"minimal", "severe"})
    if (path.filename().string().starts_with(stem))
      shown = path.parent_path() / fmt::format("{}{}", stem, suffix);
  text += fmt::format("replay:       {}\n", replay_command(shown, f));
  text += fmt::format("generated by: {}\n", origin(f));
  text += f.closer;
  if (!f.report.empty())
    text += fmt::format("\nA sanitizer reported of the original:\n{}", f.report);
  write_file_atomically(account_of(path), text);
}

fs::path FindingFiles::move_to_flaky(const fs::path& case_file, const std::string& bucket) const {
  const fs::path folder = options_.out / "findings-flaky" / bucket;
  make_folder(folder);
  const fs::path target = folder / case_file.filename();
  std::error_code error;
  fs::rename(case_file, target, error);
  if (!error) fs::rename(account_of(case_file), account_of(target), error);
  if (error)
    throw FileError(fmt::format("{}: cannot be moved to {}: {}", case_file.string(),
                                folder.string(), error.message()));
  fs::remove(case_file.parent_path(), error);  // only if nothing else is in the bucket
  return target;
}

}  // namespace ulpfuzz
