#include "memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "sanitizer.hpp"

namespace ulpfuzz::process {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::uint64_t eased = 64 * mebibyte;

/// Of /proc/PID/statm, in pages.
struct Pages {
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
};

std::optional<Pages> pages_of(pid_t process) {
  std::array<char, 64> path{};
  if (process == 0)
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/self/statm");
  else
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/statm", process);
  const int fd = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 256> text{};
  const ssize_t length = ::read(fd, text.data(), text.size());
  close(fd);
  Pages p;
  const char* at = text.data();
  const char* end = at + std::max<ssize_t>(length, 0);
  for (std::uint64_t* n : {&p.size, &p.resident, &p.shared, &p.text, &p.library, &p.data}) {
    const auto [rest, error] = std::from_chars(at, end, *n);
    if (error != std::errc{}) return std::nullopt;
    at = rest == end ? end : rest + 1;
  }
  return p;
}

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool has_gpu_driver() {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void*) {
               return static_cast<int>(std::string_view(info->dlpi_name).find("libcuda.so") !=
                                       std::string_view::npos);
             },
             nullptr) != 0;
}

}  // namespace

void limit_memory(std::uint64_t mebibytes) {
  if (mebibytes == 0 || is_sanitized() || has_gpu_driver()) return;
  const auto pages = pages_of(0);
  rlimit limit{};
  if (!pages || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t wanted = pages->data * page_size() + mebibytes * mebibyte;
  if (wanted >= limit.rlim_cur) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_DATA, &limit);
}

void ease_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, limit.rlim_cur + eased);
  setrlimit(RLIMIT_DATA, &limit);
}

std::uint64_t own_memory(pid_t process) {
  const auto pages = pages_of(process);
  if (!pages) return 0;
  return (pages->resident - std::min(pages->resident, pages->shared)) * page_size() / mebibyte;
}

}  // namespace ulpfuzz::process
