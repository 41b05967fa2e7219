#include "merge_files.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "files.hpp"
#include "merge_bucket_files.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

void unite_findings(const std::vector<fs::path>& folders, const fs::path& out, const char* kind,
                    Unreadable& unreadable) {
  std::map<std::string, std::vector<fs::path>> buckets;
  for (const fs::path& folder : folders)
    for (const fs::path& bucket : readable_entries(folder / kind, unreadable))
      buckets[bucket.filename().string()].push_back(bucket);
  for (const auto& [bucket, all] : buckets) unite_bucket(all, out / kind / bucket, unreadable);
}

/// "HASH" of HASH.case, and of HASH-2.case: one case, with other notes.
std::string stem_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.substr(0, stem.find('-'));
}

/// Of files that one name has in different folders.
std::set<std::string> contents_of(const std::vector<fs::path>& files, Unreadable& unreadable) {
  std::set<std::string> distinct;
  for (const fs::path& file : files) {
    try {
      distinct.insert(read_file(file));
    } catch (const FileError& error) {
      unreadable[file.lexically_normal().string()] = error.what();
    }
  }
  return distinct;
}

void unite_cases(const std::vector<fs::path>& folders, const fs::path& out, const char* kind,
                 Unreadable& unreadable) {
  std::map<std::string, std::vector<fs::path>> stems;
  for (const fs::path& folder : folders)
    for (const fs::path& file : readable_entries(folder / kind, unreadable))
      if (file.extension() == ".case") stems[stem_of(file)].push_back(file);
  if (!stems.empty()) make_folder(out / kind);
  for (const auto& [stem, files] : stems) {
    std::size_t n = 0;
    for (const std::string& bytes : contents_of(files, unreadable)) {
      const std::string name = ++n == 1 ? stem : fmt::format("{}-{}", stem, n);
      put_file(out / kind / (name + ".case"), bytes);
    }
  }
}

/// Lines, each once.
void unite_lists(const std::vector<fs::path>& folders, const fs::path& out, const fs::path& name,
                 Unreadable& unreadable) {
  std::set<std::string> lines;
  for (const fs::path& folder : folders) {
    try {
      std::istringstream in(file_text(folder / name).value_or(""));
      for (std::string line; std::getline(in, line);) lines.insert(line);
    } catch (const FileError& error) {
      unreadable[(folder / name).lexically_normal().string()] = error.what();
    }
  }
  if (lines.empty()) return;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  make_folder((out / name).parent_path());
  put_file(out / name, text);
}

/// Inputs of libFuzzer are named by what is in them, but for those that a kill has cut.
void unite_inputs(const std::vector<fs::path>& folders, const fs::path& out, const char* kind,
                  Unreadable& unreadable) {
  std::map<fs::path, std::vector<fs::path>> all;
  std::set<fs::path> lists;
  for (const fs::path& folder : folders)
    for (const fs::path& target : readable_entries(folder / kind, unreadable)) {
      if (target.extension() == ".txt") lists.insert(kind / target.filename());
      for (const fs::path& file : readable_entries(target, unreadable))
        if (file.extension() != ".tmp") all[target.filename() / file.filename()].push_back(file);
    }
  for (const auto& [name, files] : all) {
    const std::set<std::string> distinct = contents_of(files, unreadable);
    if (distinct.empty()) continue;
    make_folder((out / kind / name).parent_path());
    put_file(out / kind / name, *distinct.begin());
  }
  for (const fs::path& list : lists) unite_lists(folders, out, list, unreadable);
}

}  // namespace

void unite_files(const std::vector<fs::path>& folders, const fs::path& out,
                 Unreadable& unreadable) {
  for (const char* kind : {"findings", "findings-flaky"})
    unite_findings(folders, out, kind, unreadable);
  for (const char* kind : {"corpus", "distilled"}) unite_cases(folders, out, kind, unreadable);
  unite_lists(folders, out, fs::path("distilled") / "read.txt", unreadable);
  unite_inputs(folders, out, "fuzzing-kept", unreadable);
}

}  // namespace ulpfuzz::nightly
