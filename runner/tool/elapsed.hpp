#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ulpfuzz::tool {

/// While it lives, and from its second second on: a line on the terminal with the time that has
/// passed. Nothing where stderr is no terminal.
class Elapsed {
 public:
  explicit Elapsed(std::string what);
  ~Elapsed();
  Elapsed(const Elapsed&) = delete;
  Elapsed& operator=(const Elapsed&) = delete;

 private:
  void watch();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace ulpfuzz::tool
