#include "merge_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "files.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/member_read.hpp"
#include "unfinished.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using report::Night;

constexpr const char* left_out_file = "left-out.json";

/// Of two accounts of one night the one that knows more: a night that was resumed has left both.
bool knows_more(const Night& a, const Night& b) {
  const auto key = [](const Night& n) {
    return std::tuple(!n.running, !n.interrupted, n.seconds, n.cases, n.errors.size());
  };
  if (key(a) != key(b)) return key(a) > key(b);
  return report::to_json(a) > report::to_json(b);
}

void add(Nights& nights, Night night) {
  const std::string id = night.id;
  const auto [at, fresh] = nights.try_emplace(id, std::move(night));
  if (!fresh && knows_more(night, at->second)) at->second = std::move(night);
}

Night read_night(const fs::path& file) {
  Night night = report::night_from_json(read_file(file), file.string());
  if (night.id.empty() || night.id.find('/') != night.id.npos)
    throw FileError(fmt::format("{}: id: '{:.40}' names no night; take the file as it was written",
                                file.string(), night.id));
  return night;
}

/// FileError where it cannot be known.
fs::file_status status_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none)
    throw FileError(fmt::format("{}: look: {}; make it readable", path.string(), error.message()));
  return status;
}

/// A night in its own folder.
Night read_own(const fs::path& folder, const fs::path& staging) {
  const fs::path summary = folder / "summary.json", state = folder / "night.json";
  std::optional<Night> over;
  std::string damage;
  try {
    if (fs::exists(status_of(summary))) over = read_night(summary);
    if (over && !over->shards.empty())
      throw FileError(
          fmt::format("{}: is of a merged night, and there is no shards/ beside it; merge its "
                      "shards anew",
                      summary.string()));
  } catch (const FileError& error) {
    damage = error.what();
  }
  std::error_code error;
  if (!fs::exists(state, error) && !error) {
    if (!damage.empty()) throw FileError(damage);
    return *over;
  }
  try {
    Night night = unfinished_night(folder, staging);
    // A summary is the last that a night writes; it may have gone on since.
    if (over && !night.running) return *over;
    if (!damage.empty()) night.errors.push_back(damage);
    return night;
  } catch (const std::exception& unreadable) {
    if (!over) throw;
    if (over->running) over->errors.emplace_back(unreadable.what());
    return *over;
  }
}

void read_left_out(const fs::path& file, std::map<std::string, std::string>& left_out) {
  const auto text = file_text(file);
  if (!text) return;
  std::map<std::string, std::string> read;
  from_member(parsed_json(*text, file.string(), "remove it"), read, Place(file.string()));
  left_out.merge(read);
}

void read_merged(const fs::path& folder, MergeInput& input) {
  for (const fs::path& file : entries(folder / "shards")) {
    if (file.extension() != ".json") continue;
    try {
      if (file.filename() == left_out_file)
        read_left_out(file, input.left_out);
      else
        add(input.nights, read_night(file));
    } catch (const std::exception& error) {
      input.left_out[file.lexically_normal().string()] = error.what();
    }
  }
}

bool is_merged(const fs::path& folder) { return fs::is_directory(status_of(folder / "shards")); }
bool is_night(const fs::path& folder) {
  return fs::exists(status_of(folder / "summary.json")) ||
         fs::exists(status_of(folder / "night.json"));
}

/// One that cannot be looked into may hold one: it is left out by its name, and ends no merge.
bool holds_no_night(const fs::path& folder) {
  try {
    return !is_merged(folder) && !is_night(folder);
  } catch (const FileError&) {
    return false;
  }
}

/// Read anew, it may be mended.
void forget(std::map<std::string, std::string>& left_out, const fs::path& folder) {
  const std::string name = folder.lexically_normal().string();
  std::erase_if(left_out, [&](const auto& item) {
    return item.first == name || item.first.starts_with((folder / "").lexically_normal().string());
  });
}

void read_folder(const fs::path& folder, const fs::path& staging, MergeInput& input) {
  const std::string name = folder.lexically_normal().string();
  forget(input.left_out, folder);
  input.folders.push_back(folder);
  try {
    if (is_merged(folder)) return read_merged(folder, input);
    add(input.nights, read_own(folder, staging));
    if (fs::is_directory(staging)) input.folders.push_back(staging);
  } catch (const std::exception& error) {
    input.left_out[name] = error.what();
  }
}

}  // namespace

void check_folders(const std::vector<fs::path>& folders, const fs::path& out) {
  for (const fs::path& folder : folders)
    if (holds_no_night(folder))
      throw FileError(fmt::format(
          "{}: holds no night: {}; name the --out of `ulpfuzz nightly` or `ulpfuzz merge`",
          folder.string(),
          fs::is_directory(folder) ? "neither summary.json nor shards/ is there"
                                   : "it is no folder"));
  if (!is_merged(out) && is_night(out))
    throw std::invalid_argument(
        fmt::format("{} holds a night of its own; choose another --out", out.string()));
}

MergeInput read_nights(const std::vector<fs::path>& folders, const fs::path& out,
                       const fs::path& staging) {
  MergeInput input;
  if (is_merged(out)) {
    input.folders.push_back(out);
    read_merged(out, input);
    forget(input.left_out, out);
  }
  for (const fs::path& folder : folders)
    read_folder(folder, staging / std::to_string(input.folders.size()), input);
  std::erase_if(input.left_out, [&](const auto& item) {  // another folder has it whole
    const fs::path file = item.first;
    return file.parent_path().filename() == "shards" &&
           input.nights.count(file.stem().string()) > 0;
  });
  if (input.nights.empty() && input.left_out.empty())
    throw FileError(fmt::format("{}: holds no night; name folders that ulpfuzz nightly left",
                                folders.front().string()));
  if (input.nights.empty()) throw FileError(input.left_out.begin()->second);
  return input;
}

void write_nights(const MergeInput& input, const fs::path& out) {
  make_folder(out / "shards");
  for (const auto& [id, night] : input.nights)
    write_file_atomically(out / "shards" / (id + ".json"), report::to_json(night));
  const fs::path list = out / "shards" / left_out_file;
  std::error_code error;
  if (input.left_out.empty())
    fs::remove(list, error);
  else
    write_file_atomically(list, dump(to_member(input.left_out), 1) + "\n");
}

}  // namespace ulpfuzz::nightly
