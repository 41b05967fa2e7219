#include "repro_surroundings.hpp"

#include <fmt/format.h>

#include "../notes.hpp"
#include "ulpfuzz/runner/dissect_guarded.hpp"
#include "ulpfuzz/runner/environment.hpp"

namespace ulpfuzz::tool {
namespace {

std::string command(const std::filesystem::path& path, const repro::Failure& f) {
  std::string text = fmt::format("ulpfuzz replay {} --subject {} --property {}", path.string(),
                                 f.subject.name(), f.property.name);
  if (!f.claim.empty()) text += " --claim " + f.claim;
  if (f.check.bitwise) text += " --bitwise";
  return text + " --times 3";
}

}  // namespace

repro::Surroundings surroundings(const CaseFile& file, const std::filesystem::path& path,
                                 const repro::Failure& failure,
                                 const std::function<bool()>& cancelled) {
  repro::Surroundings around;
  around.command = command(path, failure);
  DissectGuard options;
  options.check = failure.check;
  options.cancelled = cancelled;
  const Findings found = dissect_guarded({failure.value, failure.verdict}, std::nullopt,
                                         failure.property, failure.subject, options);
  const std::string noted = note_of(file, "boundary");
  if (!noted.empty()) around.boundaries.push_back(noted);
  for (const Boundary& b : found.boundaries)
    if (noted.empty()) around.boundaries.push_back(fmt::format("{}: {}", b.what, b.text));
  around.dissection = to_text(found.dissection);
  const Subject* subject = &failure.subject;
  const Environment e = environment_of({&subject, 1});
  around.environment = e.machine;
  for (const auto* more : {&e.subjects, &e.variables})
    around.environment.insert(more->begin(), more->end());
  return around;
}

}  // namespace ulpfuzz::tool
