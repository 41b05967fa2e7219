#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz::process {
namespace {

constexpr double part_at_work = 0.5;
constexpr double most_patience = 10;  // times what was asked for

/// The letter after the name, which may have any characters (proc(5), /proc/pid/stat).
bool is_ready(const std::filesystem::path& thread) {
  std::string stat;
  std::getline(std::ifstream(thread / "stat"), stat);
  const auto name_end = stat.rfind(") ");
  return name_end != stat.npos && stat.substr(name_end + 2, 1) == "R";
}

bool is_ready_to_run(pid_t pid) {
  std::error_code error;
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  for (std::filesystem::directory_iterator at(threads, error), end; !error && at != end;
       at.increment(error))
    if (is_ready(at->path())) return true;
  return false;
}

}  // namespace

double cpu_seconds(pid_t pid) {
  clockid_t clock{};
  timespec t{};
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

bool is_kept_waiting(pid_t pid, double used, double waited, double patience) {
  return used < part_at_work * patience && waited < most_patience * patience &&
         is_ready_to_run(pid);
}

}  // namespace ulpfuzz::process
