#include "given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t named_in_a_note = 5;

/// Beside case files these are at home.
bool belongs(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".network.json") || name.ends_with(".npy") || name.ends_with(".txt") ||
         name.ends_with(".md");
}

void collect_from(const fs::path& folder, std::set<std::string>& seen, Collected& all,
                  const std::function<bool()>& cancelled) {
  for (const fs::path& path : entries(folder)) {
    if (cancelled()) return;
    std::error_code error;
    const bool directory = fs::is_directory(path, error);
    if (directory && is_case_file(path)) {
      all.unusable.push_back(fmt::format("{}: is a folder", path.string()));
    } else if (directory && !fs::is_symlink(path, error)) {
      collect_from(path, seen, all, cancelled);
    } else if (is_case_file(path)) {
      try {
        if (!fs::is_regular_file(path, error))
          throw FileError(fmt::format("{}: is no regular file", path.string()));
        CaseFile file = read_case(path);
        if (seen.insert(content_hash(file.value) + note_of(file, "property") +
                        note_of(file, "subject"))
                .second)
          all.cases.push_back({path, std::move(file)});
      } catch (const std::exception& unreadable) {
        all.unusable.emplace_back(unreadable.what());
      }
    } else if (!belongs(path)) {
      all.unusable.push_back(fmt::format("{}: is no case file", path.string()));
    }
  }
}

}  // namespace

Collected collect(const std::vector<fs::path>& folders, const std::function<bool()>& cancelled) {
  Collected all;
  std::set<std::string> seen;
  for (const fs::path& folder : folders) collect_from(folder, seen, all, cancelled);
  return all;
}

bool is_chosen(const Session& session, const std::string& subject) {
  const auto& globs = session.options().subjects;
  for (const Subject* s : select_subjects(session.subjects(), globs))
    if (s->name() == subject) return !s->unavailable();
  return false;
}

bool is_chosen_property(const Session& session, const std::string& property) {
  for (const Property* p : select_properties(session.options().properties))
    if (p->name == property) return true;
  return false;
}

void keep_what_is_tried(Session& session, const std::string& phase, std::vector<GivenCase>& cases) {
  const std::size_t before = cases.size();
  std::map<std::string, bool> subjects, properties;
  std::erase_if(cases, [&](GivenCase& c) {
    c.subject = note_of(c.content, "subject");
    const std::string property = note_of(c.content, "property");
    if (c.subject.empty() || property.empty()) return true;
    const auto [s, new_subject] = subjects.try_emplace(c.subject, false);
    if (new_subject) s->second = is_chosen(session, c.subject);
    const auto [p, new_property] = properties.try_emplace(property, false);
    if (new_property) p->second = is_chosen_property(session, property);
    return !s->second || !p->second;
  });
  if (cases.size() < before)
    add_note(session.phase(phase),
             fmt::format("{} of subjects or properties that this night does not try",
                         before - cases.size()));
}

void tell_unusable(Session& session, const std::string& phase,
                   const std::vector<std::string>& unusable) {
  if (unusable.empty()) return;
  std::string text, all;
  for (std::size_t i = 0; i < unusable.size(); ++i) {
    if (i < named_in_a_note) text += (i == 0 ? "" : "; ") + unusable[i];
    all += unusable[i] + "\n";
  }
  const fs::path list = session.options().out / "unusable.txt";
  add_note(session.phase(phase), fmt::format("{} file{} left out, listed in unusable.txt: {}{}",
                                             unusable.size(), unusable.size() == 1 ? "" : "s", text,
                                             unusable.size() > named_in_a_note ? "; ..." : ""));
  session.say(fmt::format("{}: {} files cannot be used; {} lists them; the first: {}", phase,
                          unusable.size(), list.string(), unusable.front()));
  try {
    std::error_code error;
    const std::string before = fs::exists(list, error) ? read_file(list) : std::string();
    write_file_atomically(list, before + all);
  } catch (const FileError& failed) {
    session.error(failed.what());
  }
}

std::optional<Bucket> bucket_of(const fs::path& case_file) {
  if (!is_case_file(case_file)) return std::nullopt;
  try {
    const CaseFile file = read_case(case_file);
    Bucket b;
    b.id = case_file.parent_path().filename().string();
    b.property = note_of(file, "property");
    b.subject = note_of(file, "subject");
    b.failure_class = note_of(file, "class");
    b.cause = note_of(file, "cause");
    b.reason = note_of(file, "comment");
    b.count = 1;
    b.case_file = case_file;
    if (b.property.empty() || b.subject.empty()) return std::nullopt;
    return b;
  } catch (const FileError&) {
    return std::nullopt;
  }
}

}  // namespace ulpfuzz::nightly
