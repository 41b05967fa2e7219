#include "folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace {

constexpr std::chrono::seconds longest{60};
constexpr std::chrono::milliseconds pause{10};

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  make_folder(folder);
  fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0)
    throw FileError(fmt::format("{}: open: {}; make it a folder that can be read", folder.string(),
                                std::strerror(errno)));
  const auto began = std::chrono::steady_clock::now();
  while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;
    if (std::chrono::steady_clock::now() - began > longest) {
      close(fd_);
      throw FileError(fmt::format("{}: lock: another process has held it for {} s; end that one",
                                  folder.string(), longest.count()));
    }
    std::this_thread::sleep_for(pause);
  }
}

FolderLock::~FolderLock() { close(fd_); }

}  // namespace ulpfuzz::nightly
