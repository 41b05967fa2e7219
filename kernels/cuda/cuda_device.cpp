#include "cuda_device.hpp"

#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "kernels.hpp"
#include "status.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

pid_t first_user = 0;  // the process that initialised CUDA, which its children cannot use

[[noreturn]] void refuse_child() {
  throw DeviceError("CUDA was initialised before this process was forked, so it cannot use it",
                    true);
}

}  // namespace

CudaDevice::CudaDevice() : process_(getpid()) {
  if (const auto reason = unavailable()) throw DeviceError("no CUDA device: " + *reason, true);
  if (first_user != 0 && first_user != process_) refuse_child();
  first_user = process_;
  try {
    check(cudaSetDevice(0), "cudaSetDevice");
    for (cudaStream_t& stream : streams_)
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (cudaEvent_t& event : events_)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  } catch (...) {
    destroy();
    throw;
  }
}

CudaDevice::~CudaDevice() { destroy(); }

// Statuses are ignored: what a lost device holds goes with the process.
void CudaDevice::destroy() noexcept {
  if (!in_own_process()) {
    memory_.abandon();
    staging_.abandon();
    return;
  }
  cudaDeviceSynchronize();
  for (const cudaEvent_t event : events_)
    if (event != nullptr) cudaEventDestroy(event);
  for (const cudaStream_t stream : streams_)
    if (stream != nullptr) cudaStreamDestroy(stream);
}

bool CudaDevice::in_own_process() const noexcept { return getpid() == process_; }

void CudaDevice::require_own_process() const {
  if (!in_own_process()) refuse_child();
}

std::string CudaDevice::environment() const { return cuda::environment(); }
int CudaDevice::architecture() const { return cuda::architecture(); }

void* CudaDevice::allocate(std::size_t bytes) {
  require_own_process();
  return memory_.take(bytes);
}

void CudaDevice::release(void* memory) noexcept { memory_.give_back(memory); }

void CudaDevice::upload(void* to, const void* from, std::size_t bytes) {
  require_own_process();
  if (bytes == 0) return;
  if (void* staged = staging_.take(bytes)) {
    std::memcpy(staged, from, bytes);
    from = staged;
  }
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()),
        "cudaMemcpyAsync to the device");
}

void CudaDevice::download(void* to, const void* from, std::size_t bytes) {
  require_own_process();
  if (bytes == 0) return;
  void* staged = staging_.take(bytes);
  check(cudaMemcpyAsync(staged != nullptr ? staged : to, from, bytes, cudaMemcpyDeviceToHost,
                        stream()),
        "cudaMemcpyAsync from the device");
  if (staged != nullptr) downloads_.push_back({to, staged, bytes});
}

void CudaDevice::fill(float* to, std::uint32_t bits, std::size_t count) {
  require_own_process();
  Map map;
  map.kind = Map::Kind::fill;
  map.bits = bits;
  map.count = count;
  map.y = to;
  queue(map, nullptr, stream());
}

void CudaDevice::launch(const Launch& launch, float* workspace) {
  require_own_process();
  std::visit([&](const auto& one) { queue(one, workspace, stream()); }, launch);
}

void CudaDevice::select(unsigned stream) {
  if (stream >= stream_count)
    throw std::invalid_argument("stream " + std::to_string(stream) + " of " +
                                std::to_string(stream_count));
  require_own_process();
  current_ = stream;
  used_ |= 1u << stream;
  for (unsigned s = 0; s < stream_count; ++s)
    if ((awaited_[stream] >> s & 1) != 0)
      check(cudaStreamWaitEvent(streams_[stream], events_[s], 0), "cudaStreamWaitEvent");
  awaited_[stream] = 0;
}

void CudaDevice::fork() {
  require_own_process();
  check(cudaEventRecord(events_[current_], stream()), "cudaEventRecord");
  for (unsigned s = 0; s < stream_count; ++s)
    if (s != current_) awaited_[s] |= 1u << current_;
}

void CudaDevice::join() {
  require_own_process();
  for (unsigned s = 0; s < stream_count; ++s) {
    if (s == current_ || (used_ >> s & 1) == 0) continue;
    check(cudaEventRecord(events_[s], streams_[s]), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream(), events_[s], 0), "cudaStreamWaitEvent");
  }
}

void CudaDevice::synchronize() {
  require_own_process();
  const cudaError_t status = cudaDeviceSynchronize();
  staging_.reset();
  used_ = 1u << current_;
  awaited_ = {};
  std::vector<Download> done;
  done.swap(downloads_);
  check(status, "cudaDeviceSynchronize");
  for (const Download& download : done) std::memcpy(download.to, download.staged, download.bytes);
}

std::unique_ptr<Device> make_device() { return std::make_unique<CudaDevice>(); }

}  // namespace ulpfuzz::kernels::cuda
