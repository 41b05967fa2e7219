#include "gpu_subject.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "contexts.hpp"

namespace ulpfuzz::gpu {
namespace {

class GpuSubject final : public Subject {
 public:
  GpuSubject(std::string name, std::shared_ptr<const Profile> profile, DeviceSource source)
      : name_(std::move(name)),
        profile_(std::move(profile)),
        source_(std::move(source)),
        contexts_([this] { return make_context(); }) {}

  std::string_view name() const override { return name_; }
  std::string description() const override { return profile_->description(); }
  Arithmetic arithmetic() const override { return profile_->arithmetic(source_.architecture()); }
  std::optional<std::string> unavailable() const override { return source_.unavailable(); }
  bool deterministic() const override { return profile_->deterministic(); }
  std::string environment() const override { return source_.environment(); }
  std::size_t group() const override { return source_.group; }
  bool broken() const override { return broken_; }

  void evaluate(const Evaluation& evaluation) const override { evaluate_each({&evaluation, 1}); }

  void evaluate_each(std::span<const Evaluation> evaluations) const override {
    if (broken_)
      throw kernels::DeviceError(
          fmt::format("{}: the device failed before in this process; a new process would fit",
                      name_),
          true);
    try {
      std::unique_ptr<Context> context = contexts_.take();
      try {
        context->run(name_, *profile_, evaluations);
      } catch (const SubjectFault&) {  // the device is none the worse for it
        contexts_.give_back(std::move(context));
        throw;
      }
      contexts_.give_back(std::move(context));
    } catch (const kernels::DeviceError& error) {
      if (error.sticky()) broken_ = true;
      throw;
    }
  }

 private:
  std::unique_ptr<Context> make_context() const {
    std::unique_ptr<kernels::Device> device = source_.make();
    std::unique_ptr<kernels::Blas> blas = source_.blas ? source_.blas(*device) : nullptr;
    return std::make_unique<Context>(std::move(device), std::move(blas));
  }

  std::string name_;
  std::shared_ptr<const Profile> profile_;
  DeviceSource source_;
  mutable Contexts contexts_;
  mutable std::atomic<bool> broken_ = false;
};

}  // namespace

DeviceSource host_source(kernels::BlockOrder order) {
  return {.make = [order] { return kernels::make_host_device(order); },
          .unavailable = [] { return std::nullopt; },
          .environment = [] { return std::string("host"); },
          .architecture = [] { return 0; }};
}

std::unique_ptr<const Subject> make_gpu_subject(std::string name,
                                                std::shared_ptr<const Profile> profile,
                                                DeviceSource source) {
  return std::make_unique<GpuSubject>(std::move(name), std::move(profile), std::move(source));
}

}  // namespace ulpfuzz::gpu
