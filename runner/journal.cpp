#include "journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// Size and time of the running program: another build may judge otherwise.
std::string program() {
  struct stat s {};
  if (stat("/proc/self/exe", &s) != 0) return {};
  return fmt::format("{}-{}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

std::string header_of(const JournalKey& key) {
  return dump({{"ulpfuzz-shrink-journal", 1},
               {"program", program()},
               {"case", key.content_hash},
               {"property", key.property},
               {"subject", key.subject},
               {"environment", key.environment},
               {"claim", key.claim},
               {"bitwise", key.check.bitwise},
               {"eps", key.check.eps},
               {"confirm", {key.confirmation.wanted, key.confirmation.tried}},
               {"timeout", key.case_timeout},
               {"memory", key.memory_limit}}) +
         "\n";
}

std::string content_of(int fd) {
  std::string content;
  while (process::read_some(fd, content)) {
  }
  return content;
}

}  // namespace

Journal::Journal(fs::path path, const JournalKey& key, Say say)
    : path_(std::move(path)), say_(std::move(say)) {
  const std::string header = header_of(key);
  open_file();
  if (fd_ < 0 || load(header)) return;
  set_aside();
  if (fd_ < 0) return;
  close(fd_);
  open_file();
  if (fd_ >= 0) load(header);
}

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

void Journal::open_file() {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) return give_up("cannot be opened", errno);
  // Two that write where no locks are known would still write whole lines.
  if (!lock_open_file(fd_)) give_up("another process shrinks the same", errno);
}

bool Journal::load(const std::string& header) {
  struct stat s {};
  if (fstat(fd_, &s) != 0 || !S_ISREG(s.st_mode)) {
    give_up("is no regular file", EINVAL);
    return true;
  }
  const std::string content = content_of(fd_);
  if (content.size() < static_cast<std::size_t>(s.st_size)) {  // it stays as it is, for another try
    give_up("cannot be read to its end", EIO);
    return true;
  }
  if (header.starts_with(content)) {  // nothing, or a header that a kill cut
    if (ftruncate(fd_, 0) != 0) give_up("cannot be written", errno);
    append(header);
    return true;
  }
  if (!content.starts_with(header)) return false;
  std::size_t from = header.size();
  for (std::size_t end; (end = content.find('\n', from)) != std::string::npos; from = end + 1) {
    const json line =
        json::parse(content.begin() + static_cast<std::ptrdiff_t>(from),
                    content.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    try {
      verdicts_[line.at("h")] = verdict_from_record(line.at("v"));
    } catch (const json::exception&) {
      break;  // torn in the middle by a machine that lost power: what follows is not trusted
    }
  }
  found_ = verdicts_.size();
  if (from < content.size() && ftruncate(fd_, static_cast<off_t>(from)) != 0)
    give_up("cannot be written", errno);
  return true;
}

void Journal::set_aside() {
  const fs::path old = path_.string() + ".old";
  std::error_code error;
  fs::rename(path_, old, error);
  if (error) return give_up("is of another shrink and cannot be renamed", error.value());
  say_(fmt::format("{} is of another case, subject or option, and is called {} now", path_.string(),
                   old.filename().string()));
}

std::optional<Verdict> Journal::recall(const std::string& content_hash) {
  const auto at = verdicts_.find(content_hash);
  if (at == verdicts_.end()) return std::nullopt;
  return at->second;
}

void Journal::record(const std::string& content_hash, const Verdict& verdict) {
  if (!verdicts_.emplace(content_hash, verdict).second || fd_ < 0) return;
  append(dump({{"h", content_hash}, {"v", to_record(verdict)}}) + "\n");
}

void Journal::append(const std::string& line) {
  if (fd_ >= 0 && !process::write_all(fd_, line)) give_up("cannot be written", errno);
}

void Journal::sync() {
  if (fd_ < 0 || process::seconds_since(synced_) < 0.5) return;
  synced_ = process::Clock::now();
  fdatasync(fd_);
}

void Journal::remove() {
  if (fd_ < 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);  // while it is locked: nobody else can have begun to use it
  close(fd_);
  fd_ = -1;
}

void Journal::give_up(const std::string& what, int error) {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  say_(fmt::format("{}: {}: {}; shrinking goes on, but could not be resumed after a kill",
                   path_.string(), what, std::generic_category().message(error)));
}

fs::path journal_beside(const fs::path& case_file) {
  return with_end(case_file, ".shrink-journal");
}

}  // namespace ulpfuzz
