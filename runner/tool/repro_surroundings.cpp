#include "repro_surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/runner/dissect_guarded.hpp"
#include "ulpfuzz/runner/environment.hpp"
#include "ulpfuzz/runner/notes.hpp"

namespace ulpfuzz::tool {
namespace {

std::string command(const std::filesystem::path& path, const repro::Failure& f) {
  std::string text = fmt::format("ulpfuzz replay {} --subject {} --property {}", path.string(),
                                 f.subject.name(), f.property.name);
  if (!f.claim.empty()) text += " --claim " + f.claim;
  if (f.check.bitwise) text += " --bitwise";
  return text + " --times 3";
}

/// A note names several in one line.
std::vector<std::string> sentences(const std::string& noted) {
  constexpr std::string_view between = "; ";
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < noted.size();) {
    const std::size_t end = std::min(noted.find(between, from), noted.size());
    parts.push_back(noted.substr(from, end - from));
    from = end + between.size();
  }
  return parts;
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
  options.confirmation = usual_confirmation(failure.subject, name(failure.verdict.failure));
  const Findings found = dissect_guarded({failure.value, failure.verdict}, std::nullopt,
                                         failure.property, failure.subject, options);
  around.boundaries = sentences(note_of(file, "boundary"));
  if (around.boundaries.empty())
    for (const Boundary& b : found.boundaries)
      around.boundaries.push_back(fmt::format("{}: {}", b.what, b.text));
  around.dissection = to_text(found.dissection);
  const Subject* subject = &failure.subject;
  const Environment e = environment_of({&subject, 1});
  around.environment = e.machine;
  for (const auto* more : {&e.subjects, &e.variables})
    around.environment.insert(more->begin(), more->end());
  return around;
}

}  // namespace ulpfuzz::tool
