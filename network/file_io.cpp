#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "case_binary.hpp"
#include "file_error.hpp"
#include "file_read.hpp"
#include "npy_header.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;

// `kind`: "case" or "network".
std::string read_file(const fs::path& path, std::string_view kind) {
  const std::string remedy = fmt::format("name a {} file", kind);
  std::string text = read_bytes(path, remedy);
  if (text.starts_with(npy_magic))
    refuse(path.string(), "read", fmt::format("it is a .npy array, not a {}", kind), remedy);
  return text;
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }
  /// Closing may be the first to tell of a failed write (NFS).
  bool close() {
    if (fd_ < 0) return true;
    const int closed = ::close(fd_);
    fd_ = -1;
    return closed == 0;
  }

 private:
  int fd_;
};

// A file beside `target` that vanishes unless it is renamed to it. The name is new to all
// processes: O_EXCL decides.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : fd_(create(target)) {}
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  FileDescriptor& file() { return fd_; }
  bool rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  int create(const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
      fs::path path = target;
      path += fmt::format(".{}-{}.tmp", ::getpid(), counter++);
      const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno == EEXIST) continue;
      if (fd < 0)
        refuse_io(target, "create", errno, "check that its folder exists and is writable");
      path_ = path;
      return fd;
    }
  }

  fs::path path_;
  FileDescriptor fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Makes the rename last. Some file systems cannot sync a folder; the file itself is safe by then.
void sync_folder(const fs::path& folder) {
  FileDescriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() >= 0 && ::fsync(fd.get()) != 0 && errno == EIO)
    refuse_io(folder, "sync", EIO, "check the disk");
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  const char* const free_space = "free space or write elsewhere";
  Temporary temporary(path);
  const int fd = temporary.file().get();
  if (!write_all(fd, bytes)) refuse_io(path, "write", errno, free_space);
  if (::fsync(fd) != 0) refuse_io(path, "sync", errno, free_space);
  if (!temporary.file().close()) refuse_io(path, "close", errno, free_space);
  if (!temporary.rename_to(path)) refuse_io(path, "rename", errno, "check what is there already");
  sync_folder(path.parent_path());
}

CaseFile read_case(const fs::path& path) {
  const std::string bytes = read_file(path, "case");
  if (!bytes.starts_with(case_magic))
    return case_from_text(bytes, path.string(), path.parent_path());
  const auto* raw = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return case_from_bytes({raw, bytes.size()}, path.string());
}

NetworkFile read_network(const fs::path& path) {
  return network_from_text(read_file(path, "network"), path.string(), path.parent_path());
}

void write_case(const fs::path& path, const CaseFile& file) {
  if (path.extension() != ".case") return write_file_atomically(path, to_text(file));
  const auto bytes = to_bytes(file);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace ulpfuzz
