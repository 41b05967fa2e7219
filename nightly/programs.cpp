#include "programs.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/repro/repro.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using repro::Language;

constexpr std::array languages{Language::cpp, Language::torch, Language::jax, Language::numpy,
                               Language::cuda};
constexpr double longest_trial = 5;  // seconds, for a case that may hang

repro::Surroundings surroundings_of(const Session& session, const report::NightBucket& b,
                                    const report::Night& night) {
  repro::Surroundings around;
  around.environment = night.environment.machine;
  const auto own = night.environment.subjects.find(b.bucket.subject);
  if (own != night.environment.subjects.end()) around.environment.insert(*own);
  around.environment.insert(night.environment.variables.begin(), night.environment.variables.end());
  around.boundaries = sentences(b.boundary);
  around.command = fmt::format(
      "ulpfuzz replay {} --property {} --subject {}{} --times 3",
      (session.options().out / b.bucket.case_file).string(), b.bucket.property, b.bucket.subject,
      session.options().claim.empty() ? "" : " --claim " + session.options().claim);
  return around;
}

/// The one that people of the subject's library would run, or else the first that there is.
void write_issue(const repro::Failure& failure, const repro::Surroundings& around,
                 const fs::path& folder) {
  for (const Language language : languages) {
    const std::string file(repro::usual_file(language));
    if (!fs::exists(folder / file)) continue;
    try {
      write_file_atomically(folder / "issue.md", repro::issue(failure, language, file, around));
      return;
    } catch (const std::invalid_argument&) {
    }
  }
}

void write_for(Session& session, const report::NightBucket& b) {
  const fs::path path = session.options().out / b.bucket.case_file;
  const fs::path folder = path.parent_path();
  const Subject* subject = session.judges().find(b.bucket.subject);
  const Property* property = properties::find(b.bucket.property);
  if (subject == nullptr || property == nullptr || subject->unavailable()) return;
  const CaseFile file = read_case(path);
  CheckOptions check;
  check.bitwise = noted_bitwise(file);
  const Verdict verdict = judge_isolated(*property, file.value, *subject, check,
                                         std::min(longest_trial, session.options().case_timeout),
                                         session.stop_asked(), session.options().memory_limit);
  if (!verdict.failed()) return;
  const repro::Failure failure{
      file.value, *property, *subject, check, verdict, b.bucket.cause, session.options().claim};
  for (const Language language : languages) {
    const std::string name(repro::usual_file(language));
    if (fs::exists(folder / name)) continue;
    try {
      write_file_atomically(folder / name, repro::program(failure, language, name));
    } catch (const std::invalid_argument&) {  // this language does not take this failure
    }
  }
  write_issue(failure, surroundings_of(session, b, session.night()), folder);
}

}  // namespace

void write_programs(Session& session) {
  for (const report::NightBucket& b : session.night().buckets) {
    if (session.stopping()) return;
    if (b.bucket.case_file.empty() || b.bucket.flaky) continue;
    if (b.bucket.failure_class == name(FailureClass::hang)) continue;  // no program shows it
    try {
      write_for(session, b);
    } catch (const FileError& failed) {
      session.error(failed.what());
    } catch (const std::exception& failed) {
      add_note(session.phase("shrink"),
               fmt::format("no programs for {}: {}", b.bucket.id, failed.what()));
    }
  }
}

}  // namespace ulpfuzz::nightly
