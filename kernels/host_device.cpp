#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "host_run.hpp"
#include "ulpfuzz/kernels/programs.hpp"

namespace ulpfuzz::kernels {
namespace host {
const Order& Shuffle::of(std::size_t blocks) {
  if (order_ == BlockOrder::ascending) return last_;
  last_.resize(blocks);
  std::iota(last_.begin(), last_.end(), 0u);
  std::shuffle(last_.begin(), last_.end(), random_);
  return last_;
}

}  // namespace host

namespace {

constexpr std::size_t alignment = 256;

// Runs block programs in this thread.
class HostDevice final : public Device {
 public:
  explicit HostDevice(BlockOrder order) : shuffle_(order) {}

  std::string environment() const override { return "host"; }
  int architecture() const override { return 0; }
  void* allocate(std::size_t bytes) override {
    return ::operator new (bytes == 0 ? 1 : bytes, std::align_val_t{alignment});
  }
  void release(void* memory) noexcept override {
    ::operator delete (memory, std::align_val_t{alignment});
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void fill(float* to, std::uint32_t bits, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i, &bits, sizeof(bits));
  }
  void launch(const Launch& launch, float* workspace) override {
    std::visit([&](const auto& l) { host::launch(l, workspace, shuffle_); }, launch);
  }
  void synchronize() override {}

 private:
  host::Shuffle shuffle_;
};

}  // namespace

std::size_t workspace_floats(const Launch& launch) {
  return std::visit([](const auto& l) { return workspace_of(l); }, launch);
}

std::unique_ptr<Device> make_host_device(BlockOrder order) {
  return std::make_unique<HostDevice>(order);
}

}  // namespace ulpfuzz::kernels
