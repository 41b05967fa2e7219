#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cuda_stand_in.hpp"

namespace ulpfuzz::stand_in {
namespace {

constexpr unsigned most_streams = 17;

struct Process {
  std::shared_ptr<Control> control;
  std::unique_ptr<GpuStandIn> device;
  std::unique_ptr<BlasStandIn> blas;
  unsigned streams = 0;  // created so far; number 0 is the default one
  cudaError_t last = cudaSuccess;
};

Process& process() {
  static Process of;
  if (of.control == nullptr) {
    of.control = std::make_shared<Control>();
    of.control->streams = most_streams;
  }
  return of;
}

bool contains(const kernels::DeviceError& error, const char* text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

}  // namespace

std::shared_ptr<Control> cuda_control() { return process().control; }

void new_cuda() {
  process().blas.reset();
  process().device.reset();
  process() = {};
}

GpuStandIn& gpu() {
  Process& p = process();
  if (p.device == nullptr) {
    p.device = std::make_unique<GpuStandIn>(p.control);
    p.blas = std::make_unique<BlasStandIn>(*p.device);
  }
  return *p.device;
}

BlasStandIn& gpu_blas() {
  gpu();
  return *process().blas;
}

unsigned index_of(cudaStream_t stream) {
  const auto index = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(stream));
  if (index == 0) cuda_control()->faults.push_back("work on the default stream");
  return index;
}

cudaError_t status_of(const kernels::DeviceError& error) {
  if (error.sticky()) return cudaErrorIllegalAddress;
  return contains(error, "out of memory") ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

cublasStatus_t blas_status_of(const kernels::DeviceError& error) {
  if (contains(error, "INVALID_VALUE")) return CUBLAS_STATUS_INVALID_VALUE;
  if (contains(error, "NOT_SUPPORTED")) return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_EXECUTION_FAILED;
}

void remember(cudaError_t status) { process().last = status; }

}  // namespace ulpfuzz::stand_in

using namespace ulpfuzz::stand_in;
using ulpfuzz::kernels::DeviceError;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "stand-in");
  properties->major = cuda_control()->architecture / 10;
  properties->minor = cuda_control()->architecture % 10;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cuda_status([] { gpu(); });
}

const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorInvalidValue";
  }
}
const char* cudaGetErrorString(cudaError_t status) { return cudaGetErrorName(status); }
cudaError_t cudaGetLastError() {
  const cudaError_t last = process().last;
  if (last != cudaErrorIllegalAddress) process().last = cudaSuccess;
  return last;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return cuda_status([&] { *memory = gpu().allocate(bytes); });
}
cudaError_t cudaFree(void* memory) {
  gpu().release(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cuda_status([&] {
    gpu().select(index_of(stream));
    kind == cudaMemcpyHostToDevice ? gpu().upload(to, from, bytes)
                                   : gpu().download(to, from, bytes);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (flags != cudaStreamNonBlocking || ++process().streams >= most_streams)
    return cudaErrorInvalidValue;
  *stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{process().streams});
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  --process().streams;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Queue::Mark);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Queue::Mark*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cuda_status([&] {
    gpu().select(index_of(stream));
    *reinterpret_cast<Queue::Mark*>(event) = gpu().mark();
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return cuda_status([&] {
    gpu().select(index_of(stream));
    gpu().wait(*reinterpret_cast<Queue::Mark*>(event));
  });
}
cudaError_t cudaDeviceSynchronize() {
  return cuda_status([] { gpu().synchronize(); });
}
}  // extern "C"
