#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

namespace ulpfuzz {

/// A flag that a process and what it forks from then on share. Throws std::system_error if there is
/// no memory for it.
class SharedFlag {
 public:
  SharedFlag() {
    void* memory = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    flag_ = new (memory) std::atomic<bool>(false);
  }
  ~SharedFlag() { munmap(flag_, sizeof(std::atomic<bool>)); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  void raise() const { *flag_ = true; }
  bool raised() const { return *flag_; }

 private:
  std::atomic<bool>* flag_;
};

}  // namespace ulpfuzz
