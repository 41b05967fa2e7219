#include "given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

}  // namespace

CaseReader::CaseReader(const std::vector<fs::path>& folders, std::function<bool()> cancelled)
    : cancelled_(std::move(cancelled)) {
  for (const fs::path& folder : folders) list(folder);
}

void CaseReader::list(const fs::path& folder) {
  std::vector<fs::path> inside;
  try {
    inside = entries(folder);
  } catch (const FileError& unreadable) {
    unusable_.emplace_back(unreadable.what());
  }
  for (const fs::path& path : inside) {
    if (cancelled_()) return;
    std::error_code error;
    if (is_case_file(path)) {  // whatever it is, read() says: this is for many
      files_.push_back(path.string());
    } else if (fs::is_directory(path, error) && !fs::is_symlink(path, error)) {
      list(path);
    } else if (!belongs(path)) {
      unusable_.push_back(fmt::format("{}: is no case file", path.string()));
    }
  }
}

std::vector<GivenCase> CaseReader::next(std::size_t most) {
  std::vector<GivenCase> slice;
  std::uintmax_t bytes = 0;
  while (at_ < files_.size() && slice.size() < most && bytes < slice_bytes && !cancelled_()) {
    const fs::path file = files_[at_++];
    const std::size_t before = slice.size();
    read(file, slice);
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (slice.size() > before && !error) bytes += size;
  }
  return slice;
}

void CaseReader::read(const fs::path& file, std::vector<GivenCase>& slice) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found && !fs::is_symlink(file, error)) return;
  try {
    if (fs::is_directory(status)) throw FileError(fmt::format("{}: is a folder", file.string()));
    if (!fs::is_regular_file(status))
      throw FileError(fmt::format("{}: is no regular file", file.string()));
    CaseFile content = read_case(file);
    if (is_new(content)) slice.push_back({file, std::move(content)});
  } catch (const std::exception& unreadable) {
    unusable_.emplace_back(unreadable.what());
  }
}

bool CaseReader::is_new(const CaseFile& file) {
  const std::string pair = note_of(file, "property") + '\n' + note_of(file, "subject");
  const auto number = static_cast<std::uint32_t>(kept_for_.size());
  const std::uint64_t hash = std::stoull(content_hash(file.value), nullptr, 16);
  return seen_.emplace(hash, kept_for_.try_emplace(pair, number).first->second).second;
}

Collected collect(const std::vector<fs::path>& folders, const std::function<bool()>& cancelled) {
  CaseReader reader(folders, cancelled);
  Collected all;
  for (auto slice = reader.next(); !slice.empty(); slice = reader.next())
    std::move(slice.begin(), slice.end(), std::back_inserter(all.cases));
  all.unusable = reader.unusable();
  return all;
}

std::vector<fs::path> names_of(CaseReader& reader) {
  std::vector<fs::path> names;
  for (auto slice = reader.next(); !slice.empty(); slice = reader.next())
    for (const GivenCase& c : slice) names.push_back(c.name);
  return names;
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

void TriedCases::keep(std::vector<GivenCase>& cases) {
  dropped_ += std::erase_if(cases, [&](GivenCase& c) {
    c.subject = note_of(c.content, "subject");
    const std::string property = note_of(c.content, "property");
    if (c.subject.empty() || property.empty()) return true;
    const auto [s, new_subject] = subjects_.try_emplace(c.subject, false);
    if (new_subject) s->second = is_chosen(session_, c.subject);
    const auto [p, new_property] = properties_.try_emplace(property, false);
    if (new_property) p->second = is_chosen_property(session_, property);
    return !s->second || !p->second;
  });
}

void TriedCases::tell(report::Phase& phase) const {
  if (dropped_ > 0)
    add_note(phase,
             fmt::format("{} of subjects or properties that this night does not try", dropped_));
}

void keep_what_is_tried(Session& session, const std::string& phase, std::vector<GivenCase>& cases) {
  TriedCases tried(session);
  tried.keep(cases);
  tried.tell(session.phase(phase));
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
