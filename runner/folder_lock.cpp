#include "ulpfuzz/runner/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr double longest = 60, longest_in_a_hurry = 2;  // seconds
constexpr std::chrono::milliseconds pause{10};

int opened(const fs::path& folder) {
  make_folder(folder);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    throw FileError(fmt::format("{}: open: {}; make it a folder that can be read", folder.string(),
                                std::strerror(errno)));
  return fd;
}

}  // namespace

bool lock_open_file(int fd) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno != EWOULDBLOCK;
  return true;
}

FolderLock::FolderLock(const fs::path& folder, const std::function<bool()>& hurry)
    : fd_(opened(folder)) {
  const auto began = process::Clock::now();
  while (!lock_open_file(fd_)) {
    const double most = hurry && hurry() ? longest_in_a_hurry : longest;
    if (process::seconds_since(began) > most) {
      close(fd_);
      throw FolderBusy(fmt::format("{}: lock: another process has held it for {} s; end that one",
                                   folder.string(), most));
    }
    std::this_thread::sleep_for(pause);
  }
}

std::optional<FolderLock> FolderLock::if_free(const fs::path& folder) {
  FolderLock lock(opened(folder));
  if (!lock_open_file(lock.fd_)) return std::nullopt;
  return lock;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace ulpfuzz
