#include "merge_bucket_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include "files.hpp"
#include "merge_files.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr const char* minimal_name = "minimal.case.json";

bool is_original(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_case_file(file) && !name.starts_with("minimal") && !name.starts_with("severe");
}

/// Bytes of files by their names.
using Contents = std::map<std::string, std::string>;

/// How simple a case is, the simplest first; `content` in the end, so that no two are equal.
using Order = std::tuple<std::vector<std::uint64_t>, std::string, Contents>;

Order order_of(const fs::path& case_file, Contents content) {
  const Case c = read_case(case_file).value;
  return {generators::complexity(c), content_hash(c), std::move(content)};
}

class BucketFiles {
 public:
  void read(const fs::path& folder, Unreadable& unreadable);
  void write(const fs::path& folder) const;

 private:
  using Original = std::pair<Order, std::string>;  ///< with the name of the case file
  void read_original(const fs::path& file);
  void read_minimal(const fs::path& folder, Contents others);
  Contents chosen() const;

  std::map<std::string, Order> originals_;  ///< by name: the hash of the content
  std::optional<Order> minimal_;
  Contents others_;  ///< of folders without a minimal case
};

void BucketFiles::read_original(const fs::path& file) {
  Contents content{{file.filename().string(), read_file(file)}};
  const fs::path account = account_of(file);
  if (fs::exists(account)) content[account.filename().string()] = read_file(account);
  Order order = order_of(file, std::move(content));
  const auto [at, fresh] = originals_.try_emplace(file.filename().string(), order);
  if (!fresh && order < at->second) at->second = std::move(order);
}

void BucketFiles::read_minimal(const fs::path& folder, Contents others) {
  if (others.count(minimal_name) == 0) {
    for (auto& [name, bytes] : others) {
      const auto [at, fresh] = others_.try_emplace(name, bytes);
      if (!fresh && bytes < at->second) at->second = std::move(bytes);
    }
    return;
  }
  Order order = order_of(folder / minimal_name, std::move(others));
  // Of the same case the fuller account: a merge that was killed may have left less.
  const auto better = [](const Order& a, const Order& b) {
    const auto key = [](const Order& o) {
      return std::tuple(std::get<0>(o), std::get<1>(o), -std::get<2>(o).size());
    };
    const auto x = key(a), y = key(b);
    return x != y ? x < y : a < b;
  };
  if (!minimal_ || better(order, *minimal_)) minimal_ = std::move(order);
}

void BucketFiles::read(const fs::path& folder, Unreadable& unreadable) {
  Contents others;
  std::vector<fs::path> accounts;
  for (const fs::path& file : entries(folder)) {
    if (!fs::is_regular_file(file) || file.extension() == ".tmp") continue;
    try {
      if (is_original(file)) {
        accounts.push_back(account_of(file));
        read_original(file);
      } else {
        others[file.filename().string()] = read_file(file);
      }
    } catch (const FileError& error) {
      unreadable[file.lexically_normal().string()] = error.what();
    }
  }
  for (const fs::path& account : accounts) others.erase(account.filename().string());
  try {
    read_minimal(folder, std::move(others));
  } catch (const FileError& error) {
    unreadable[(folder / minimal_name).lexically_normal().string()] = error.what();
  }
}

Contents BucketFiles::chosen() const {
  std::vector<Original> all;
  for (const auto& [name, order] : originals_) all.emplace_back(order, name);
  std::sort(all.begin(), all.end());
  if (all.size() > originals_kept) all.resize(originals_kept);
  Contents files = minimal_ ? std::get<2>(*minimal_) : others_;
  for (const auto& [order, name] : all)
    for (const auto& [file, bytes] : std::get<2>(order)) files[file] = bytes;
  return files;
}

void BucketFiles::write(const fs::path& folder) const {
  const Contents files = chosen();
  if (files.empty()) return;
  make_folder(folder);
  std::error_code error;
  for (const fs::path& file : entries(folder))
    if (files.count(file.filename().string()) == 0) fs::remove(file, error);
  // The case last: a folder without it is known to be unfinished.
  for (const auto& [name, bytes] : files)
    if (name != minimal_name) put_file(folder / name, bytes);
  if (const auto at = files.find(minimal_name); at != files.end())
    put_file(folder / minimal_name, at->second);
}

}  // namespace

void put_file(const fs::path& file, const std::string& bytes) {
  std::error_code error;
  if (fs::file_size(file, error) == bytes.size() && !error && read_file(file) == bytes) return;
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  errno = 0;
  std::ofstream to(temporary, std::ios::binary);
  to.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  to.close();
  const int why = errno;
  if (to) fs::rename(temporary, file, error);
  if (to && !error) return;
  const std::string reason = to ? error.message() : std::strerror(why != 0 ? why : EIO);
  fs::remove(temporary, error);
  throw FileError(
      fmt::format("{}: write: {}; free space or write elsewhere", file.string(), reason));
}

void unite_bucket(const std::vector<fs::path>& folders, const fs::path& out,
                  Unreadable& unreadable) {
  BucketFiles files;
  for (const fs::path& folder : folders) files.read(folder, unreadable);
  files.write(out);
}

}  // namespace ulpfuzz::nightly
