#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace ulpfuzz {

/// Locks an open file for as long as it is open here or in a child; false if another process has
/// locked it. Some file systems know no locks: there all succeed.
bool lock_open_file(int fd);

/// A folder that no other process with such a lock works in meanwhile, made where it is not there.
/// The system takes the lock from a process that dies.
class FolderLock {
 public:
  /// Waits for it; FileError after a minute, and for a folder that cannot be made or opened.
  explicit FolderLock(const std::filesystem::path& folder);
  /// Nothing if another process has it now. FileError as above.
  static std::optional<FolderLock> if_free(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace ulpfuzz
