#include "merge_bucket_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "files.hpp"
#include "merge_files.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr const char* minimal_name = "minimal.case.json";

/// Bytes of files by their names.
using Contents = std::map<std::string, std::string>;

/// How simple a case is, the simplest first.
using Order = std::pair<std::vector<std::uint64_t>, std::string>;

Order order_of(const fs::path& case_file) {
  const Case c = read_case(case_file).value;
  return {generators::complexity(c), content_hash(c)};
}

/// What lies beside an original is its account alone.
Contents original_at(const fs::path& file) {
  Contents content{{file.filename().string(), read_file(file)}};
  const fs::path account = account_of(file);
  if (auto text = file_text(account)) content[account.filename().string()] = std::move(*text);
  return content;
}

/// Of originals it holds where they are: a bucket of many nights may have thousands.
class BucketFiles {
 public:
  void read(const fs::path& folder, Unreadable& unreadable);
  void write(const fs::path& folder, Unreadable& unreadable) const;

 private:
  struct Original {
    Order order;
    fs::path file;
  };
  struct Minimal {
    Order order;
    Contents files;
  };
  void read_original(const fs::path& file);
  void read_minimal(const fs::path& folder, Contents others);
  std::vector<fs::path> simplest() const;

  std::map<std::string, Original> originals_;  ///< by name: the hash of the content
  std::optional<Minimal> minimal_;
  Contents others_;  ///< of folders without a minimal case
};

void BucketFiles::read_original(const fs::path& file) {
  Original original{order_of(file), file};
  const auto [at, fresh] = originals_.try_emplace(file.filename().string(), original);
  if (fresh) return;
  // One case has different notes and accounts in different nights.
  const auto key = [](const Original& o) { return std::pair(o.order, original_at(o.file)); };
  if (key(original) < key(at->second)) at->second = std::move(original);
}

void BucketFiles::read_minimal(const fs::path& folder, Contents others) {
  if (others.count(minimal_name) == 0) {
    for (auto& [name, bytes] : others) {
      const auto [at, fresh] = others_.try_emplace(name, bytes);
      if (!fresh && bytes < at->second) at->second = std::move(bytes);
    }
    return;
  }
  Minimal minimal{order_of(folder / minimal_name), std::move(others)};
  // Of the same case the fuller account: a merge that was killed may have left less.
  const auto better = [](const Minimal& a, const Minimal& b) {
    if (a.order != b.order) return a.order < b.order;
    if (a.files.size() != b.files.size()) return a.files.size() > b.files.size();
    return a.files < b.files;
  };
  if (!minimal_ || better(minimal, *minimal_)) minimal_ = std::move(minimal);
}

void BucketFiles::read(const fs::path& folder, Unreadable& unreadable) {
  std::set<fs::path> originals, accounts, others;
  for (const fs::path& file : readable_entries(folder, unreadable)) {
    std::error_code error;
    const fs::file_type type = fs::status(file, error).type();
    if (type == fs::file_type::none) unreadable[file.lexically_normal().string()] = error.message();
    if (type != fs::file_type::regular || file.extension() == ".tmp") continue;
    (is_original(file) ? originals : others).insert(file);
    if (is_original(file)) accounts.insert(account_of(file));
  }
  const auto attempt = [&](const fs::path& file, const auto& take) {
    try {
      take();
    } catch (const std::exception& error) {
      unreadable[file.lexically_normal().string()] = error.what();
    }
  };
  for (const fs::path& file : originals) attempt(file, [&] { read_original(file); });
  Contents contents;
  for (const fs::path& file : others)
    if (accounts.count(file) == 0)
      attempt(file, [&] { contents[file.filename().string()] = read_file(file); });
  attempt(folder / minimal_name, [&] { read_minimal(folder, std::move(contents)); });
}

std::vector<fs::path> BucketFiles::simplest() const {
  std::vector<std::tuple<Order, std::string, fs::path>> all;
  for (const auto& [name, original] : originals_)
    all.emplace_back(original.order, name, original.file);
  std::sort(all.begin(), all.end());
  if (all.size() > originals_kept) all.resize(originals_kept);
  std::vector<fs::path> files;
  for (auto& [order, name, file] : all) files.push_back(std::move(file));
  return files;
}

void BucketFiles::write(const fs::path& folder, Unreadable& unreadable) const {
  const Contents& beside = minimal_ ? minimal_->files : others_;
  const std::vector<fs::path> originals = simplest();
  if (beside.empty() && originals.empty()) return;
  make_folder(folder);
  std::set<std::string> kept;
  std::error_code error;
  for (const auto& [name, bytes] : beside) kept.insert(name);
  for (const fs::path& file : originals) {
    kept.insert(file.filename().string());
    if (fs::exists(account_of(file), error)) kept.insert(account_of(file).filename().string());
  }
  for (const fs::path& file : entries(folder))
    if (kept.count(file.filename().string()) == 0) fs::remove(file, error);
  for (const fs::path& file : originals) {
    Contents content;
    try {
      content = original_at(file);
    } catch (const FileError& gone) {  // a night at work has moved it
      unreadable[file.lexically_normal().string()] = gone.what();
    }
    for (const auto& [name, bytes] : content) put_file(folder / name, bytes);
  }
  // The case last: a folder without it is known to be unfinished.
  for (const auto& [name, bytes] : beside)
    if (name != minimal_name) put_file(folder / name, bytes);
  if (const auto at = beside.find(minimal_name); at != beside.end())
    put_file(folder / minimal_name, at->second);
}

}  // namespace

std::vector<fs::path> readable_entries(const fs::path& folder, Unreadable& unreadable) {
  try {
    return entries(folder);
  } catch (const FileError& error) {
    unreadable[folder.lexically_normal().string()] = error.what();
    return {};
  }
}

void unite_bucket(const std::vector<fs::path>& folders, const fs::path& out,
                  Unreadable& unreadable) {
  BucketFiles files;
  for (const fs::path& folder : folders) files.read(folder, unreadable);
  files.write(out, unreadable);
}

}  // namespace ulpfuzz::nightly
