#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {

/// Locks an open file for as long as it is open here or in a child; false if another process has
/// locked it. Some file systems know no locks: there all succeed.
bool lock_open_file(int fd);

/// Another process has had the lock for too long.
class FolderBusy : public FileError {
 public:
  using FileError::FileError;
};

/// A folder that no other process with such a lock works in meanwhile, made where it is not there.
/// The system takes the lock from a process that dies.
class FolderLock {
 public:
  /// Waits for it; FolderBusy after a minute, or two seconds where `hurry` says so. FileError for a
  /// folder that cannot be made or opened.
  explicit FolderLock(const std::filesystem::path& folder, const std::function<bool()>& hurry = {});
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
