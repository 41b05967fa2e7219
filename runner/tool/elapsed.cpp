#include "elapsed.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "../progress.hpp"

namespace ulpfuzz::tool {

Elapsed::Elapsed(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { watch(); });
}

Elapsed::~Elapsed() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Elapsed::watch() {
  Progress line(true, {});
  std::unique_lock lock(mutex_);
  for (double seconds = 1; !ended_.wait_for(lock, std::chrono::seconds(1), [&] { return end_; });
       ++seconds)
    line.show(fmt::format("{}  {}", what_, clock_text(seconds)));
  line.clear();
}

}  // namespace ulpfuzz::tool
