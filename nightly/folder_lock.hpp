#pragma once

#include <filesystem>

namespace ulpfuzz::nightly {

/// A folder that no other process changes meanwhile, made where it is not there. File systems
/// without locks give none: then the last one who writes stands.
class FolderLock {
 public:
  /// Waits; FileError after a minute, and for a folder that cannot be made or opened.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

}  // namespace ulpfuzz::nightly
