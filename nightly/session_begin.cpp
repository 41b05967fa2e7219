#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "session.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds longest_death{3};
constexpr off_t reserved = 2 << 20;  // bytes: all reports of a night with many buckets

}  // namespace

/// Two nights in one folder would take each other's files for their own.
void Session::lock() {
  const fs::path& out = options_.out;
  if (options_.resume) state_file(out);  // or nothing is made there
  // Where no locks are known, what begin() looks for still keeps nights apart.
  // Workers of a night that was killed hold its lock until they are dead, too.
  const auto began = std::chrono::steady_clock::now();
  while (!(lock_ = FolderLock::if_free(out)) && options_.resume &&
         std::chrono::steady_clock::now() - began < longest_death)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!lock_)
    throw FileError(
        fmt::format("{}: another night works in it; choose another --out", out.string()));
}

void Session::begin() {
  for (const char* used : {"night.json", "summary.json", "parts", "findings"})
    if (fs::exists(options_.out / used))
      throw std::invalid_argument(fmt::format(
          "{} holds {} of another night; go on with that one (--resume), remove it or choose "
          "another --out",
          options_.out.string(), used));
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  night_.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  night_.id = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(now), options_.seed);
  if (options_.shards > 1)
    night_.id += fmt::format("-shard{}of{}", options_.shard, options_.shards);
  night_.seed = options_.seed;
  night_.options = asked(options_);
  here_ = asked_here(options_);
  night_.running = true;
  for (const char* name : phase_names) phase(name);
  reserve();
  save();
}

void Session::reserve() {
  const fs::path file = options_.out / "reserve";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const int failed = fd < 0 ? errno : posix_fallocate(fd, 0, reserved);
  if (fd >= 0) close(fd);
  if (failed == 0) return;
  use_reserve();
  error(fmt::format("{}: {} megabytes for the reports cannot be kept free: {}",
                    options_.out.string(), reserved >> 20, std::strerror(failed)));
}

void Session::use_reserve() {
  std::error_code ignored;
  fs::remove(options_.out / "reserve", ignored);
}

}  // namespace ulpfuzz::nightly
