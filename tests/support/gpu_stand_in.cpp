#include "support/gpu_stand_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "support/stand_in_extents.hpp"

namespace ulpfuzz::stand_in {
namespace {

constexpr unsigned char unread_byte = 0xcd;  // host memory of a download that is not done yet

[[noreturn]] void fail(const std::string& function, const std::string& status, bool sticky) {
  throw kernels::DeviceError(fmt::format("{}: {}", function, status), sticky);
}

}  // namespace

std::string name(Call call) {
  constexpr std::array<const char*, call_kinds> names = {"cudaMalloc",
                                                         "cudaMemcpyAsync",
                                                         "cudaMemcpyAsync",
                                                         "cudaMemsetAsync",
                                                         "cudaLaunchKernel",
                                                         "cublas",
                                                         "cublasLtMatmulAlgoGetHeuristic",
                                                         "cudaStreamSynchronize"};
  return names[static_cast<std::size_t>(call)];
}

GpuStandIn::GpuStandIn(std::shared_ptr<Control> control)
    : control_(std::move(control)),
      host_(kernels::make_host_device()),
      queue_(control_->streams, control_->seed) {
  ++control_->devices;
}

GpuStandIn::~GpuStandIn() {
  --control_->devices;
  check_guards();
  if (sticky_status_.empty() && !queue_.empty())
    control_->faults.push_back("destroyed with work queued");
  if (memory_.allocations() != 0)
    control_->faults.push_back(fmt::format("{} allocations leaked", memory_.allocations()));
}

std::string GpuStandIn::environment() const {
  return fmt::format("stand-in for a GPU, sm_{}", control_->architecture);
}

void GpuStandIn::begin(Call call, const std::string& function) {
  const std::size_t index = control_->calls[static_cast<std::size_t>(call)]++;
  ++control_->names[function];
  begun_ = function;
  fails_late_ = false;
  if (!sticky_status_.empty()) {
    queue_.clear();
    fail(function, sticky_status_, true);
  }
  const std::optional<Failure>& f = control_->failure;
  if (!f || f->call != call || f->index != index) return;
  if (f->late) {
    fails_late_ = true;
    return;
  }
  if (f->sticky) sticky_status_ = f->status;
  if (call == Call::synchronize) run_queue();
  fail(function, f->status, f->sticky);
}

void* GpuStandIn::allocate(std::size_t bytes) {
  begin(Call::allocate, name(Call::allocate));
  if (bytes > control_->capacity - std::min(control_->capacity, memory_.bytes()))
    fail(begun_, "out of memory", false);
  ++control_->live;
  return memory_.allocate(bytes);
}

void GpuStandIn::release(void* memory) noexcept {
  if (memory == nullptr) return;
  if (sticky_status_.empty() && !queue_.empty()) {
    control_->faults.push_back("release while work is queued");
    run_queue();
  }
  const std::size_t before = memory_.allocations();
  if (const std::string wrong = memory_.release(memory); !wrong.empty())
    control_->faults.push_back(wrong);
  control_->live -= before - memory_.allocations();
}

void GpuStandIn::upload(void* to, const void* from, std::size_t bytes) {
  begin(Call::upload, name(Call::upload));
  const auto* bytes_from = static_cast<const unsigned char*>(from);
  const std::vector<unsigned char> seen(bytes_from, bytes_from + bytes);
  queue({{to, bytes}}, [this, to, from, bytes, seen] {
    if (bytes == 0) return;
    if (std::memcmp(seen.data(), from, bytes) != 0)
      control_->faults.push_back("host memory changed while its upload was queued");
    std::memcpy(to, from, bytes);
  });
}

void GpuStandIn::download(void* to, const void* from, std::size_t bytes) {
  begin(Call::download, name(Call::download));
  if (bytes != 0) std::memset(to, unread_byte, bytes);
  queue({{from, bytes}}, [to, from, bytes] {
    if (bytes != 0) std::memcpy(to, from, bytes);
  });
}

void GpuStandIn::fill(float* to, std::uint32_t bits, std::size_t count) {
  begin(Call::fill, name(Call::fill));
  queue({{to, count * sizeof(float)}}, [to, bits, count] {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i, &bits, sizeof(bits));
  });
}

void GpuStandIn::launch(const kernels::Launch& launch, float* workspace) {
  begin(Call::launch, name(Call::launch));
  std::vector<Range> ranges = extents(launch);
  ranges.push_back({workspace, kernels::workspace_floats(launch) * sizeof(float)});
  queue(std::move(ranges), [this, launch, workspace] {
    host_->launch(launch, workspace);
    host_->synchronize();
  });
}

void GpuStandIn::queue(std::vector<Range> ranges, std::function<void()> work) {
  queue_.push({begun_, std::move(ranges), std::move(work), fails_late_});
}

void GpuStandIn::synchronize() {
  begin(Call::synchronize, name(Call::synchronize));
  run_queue();
  if (!sticky_status_.empty()) fail(begun_, sticky_status_, true);
}

void GpuStandIn::run_queue() {
  queue_.run_all([this](const Work& work) {
    if (!sticky_status_.empty()) return;
    if (work.fails)
      sticky_status_ = fmt::format("{} (of {})", control_->failure->status, work.function);
    for (const Range& range : work.ranges)
      if (!memory_.contains(range))
        sticky_status_ = fmt::format("an illegal memory access was encountered ({}, {} bytes)",
                                     work.function, range.bytes);
    if (sticky_status_.empty()) work.run();
  });
  check_guards();
}

void GpuStandIn::check_guards() {
  for (const std::string& wrong : memory_.check()) control_->faults.push_back(wrong);
}

}  // namespace ulpfuzz::stand_in
