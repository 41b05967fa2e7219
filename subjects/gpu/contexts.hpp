#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "context.hpp"

namespace ulpfuzz::gpu {

/// The contexts of one subject, made as threads ask for them, each in the process that uses it.
class Contexts {
 public:
  explicit Contexts(std::function<std::unique_ptr<Context>()> make);
  ~Contexts();
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  /// One that no other thread uses; made where there is none.
  std::unique_ptr<Context> take();
  void give_back(std::unique_ptr<Context> context);

 private:
  void forget_those_of_another_process();

  std::function<std::unique_ptr<Context>()> make_;
  std::mutex mutex_;
  pid_t process_;
  std::vector<std::unique_ptr<Context>> idle_;
};

}  // namespace ulpfuzz::gpu
