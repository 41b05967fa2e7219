#include "contexts.hpp"

#include <unistd.h>

#include <utility>

namespace ulpfuzz::gpu {
namespace {

// A device that the parent made must not be touched, so not destroyed either. Kept where a leak
// checker sees them, by what outlives subjects that are static.
void abandon(std::vector<std::unique_ptr<Context>>& contexts) {
  static std::mutex mutex;
  static auto& abandoned = *new std::vector<Context*>;
  const std::lock_guard lock(mutex);
  for (auto& context : contexts) abandoned.push_back(context.release());
  contexts.clear();
}

}  // namespace

Contexts::Contexts(std::function<std::unique_ptr<Context>()> make)
    : make_(std::move(make)), process_(getpid()) {}

Contexts::~Contexts() { forget_those_of_another_process(); }

std::unique_ptr<Context> Contexts::take() {
  {
    const std::lock_guard lock(mutex_);
    forget_those_of_another_process();
    if (!idle_.empty()) {
      std::unique_ptr<Context> context = std::move(idle_.back());
      idle_.pop_back();
      return context;
    }
  }
  return make_();
}

void Contexts::give_back(std::unique_ptr<Context> context) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(context));
}

void Contexts::forget_those_of_another_process() {
  const pid_t now = getpid();
  if (now == process_) return;
  abandon(idle_);
  process_ = now;
}

}  // namespace ulpfuzz::gpu
