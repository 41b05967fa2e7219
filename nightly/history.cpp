#include "history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "ledger.hpp"
#include "members.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using report::EarlierNight;
using report::Night;

std::vector<std::string> lines_of(const fs::path& corpus) {
  std::istringstream in(file_text(corpus / "history.jsonl").value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A night that was told of again, or together with more shards.
bool replaces(const HistoryLine& later, const HistoryLine& earlier) {
  return std::all_of(earlier.ids.begin(), earlier.ids.end(), [&](const std::string& id) {
    return among(later.ids, id) || (id == earlier.night.id && earlier.ids.size() > 1);
  });
}

bool append(const fs::path& file, const std::string& bytes) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const bool done = written == static_cast<ssize_t>(bytes.size()) && fsync(fd) == 0;
  if (written >= 0 && !done && errno == 0) errno = ENOSPC;
  return close(fd) == 0 && done;
}

}  // namespace

void append_history(const fs::path& corpus, const Night& night) {
  const std::string line = dump(to_member(HistoryLine{as_earlier(night), ids_of(night)}));
  const fs::path file = corpus / "history.jsonl";
  const auto lines = lines_of(corpus);
  if (std::find(lines.begin(), lines.end(), line) != lines.end()) return;
  // A line that a full disk or a kill cut must not swallow this one.
  const std::string text = file_text(file).value_or("");
  const bool cut = !text.empty() && text.back() != '\n';
  errno = 0;
  if (!append(file, (cut ? "\n" : "") + line + "\n"))
    throw FileError(fmt::format("{}: append: {}; free space or make it writable", file.string(),
                                std::strerror(errno)));
}

std::vector<EarlierNight> history_before(const fs::path& corpus,
                                         const std::vector<std::string>& ids) {
  using Line = HistoryLine;
  const Line own{{}, ids};
  std::vector<Line> all;
  for (const std::string& text : lines_of(corpus)) {
    Line line;
    try {
      from_member(parsed_json(text, "history.jsonl", ""), line, Place("history.jsonl"));
    } catch (const FileError&) {  // cut, or not ours
      continue;
    }
    std::erase_if(all, [&](const Line& earlier) { return replaces(line, earlier); });
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const Line& other) { return replaces(other, line); });
    if (!known && !replaces(own, line)) all.push_back(std::move(line));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Line& a, const Line& b) { return a.night.id < b.night.id; });
  std::vector<EarlierNight> nights;
  for (Line& line : all) nights.push_back(std::move(line.night));
  return nights;
}

std::vector<EarlierNight> read_history(const fs::path& corpus) {
  return history_before(corpus, {});
}

}  // namespace ulpfuzz::nightly
