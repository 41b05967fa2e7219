#include "staging.hpp"

#include <cuda_runtime_api.h>

namespace ulpfuzz::kernels::cuda {

Staging::~Staging() {
  for (std::byte* chunk : chunks_) cudaFreeHost(chunk);
}

void* Staging::take(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  if (size > chunk_bytes_) return nullptr;
  if (chunk_ < chunks_.size() && chunk_bytes_ - used_ < size) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    if (chunk_ == most_chunks_) return nullptr;
    chunks_.reserve(most_chunks_);
    void* chunk = nullptr;
    if (cudaMallocHost(&chunk, chunk_bytes_) != cudaSuccess) {
      cudaGetLastError();
      return nullptr;
    }
    chunks_.push_back(static_cast<std::byte*>(chunk));
  }
  void* taken = chunks_[chunk_] + used_;
  used_ += size;
  return taken;
}

void Staging::reset() noexcept { chunk_ = used_ = 0; }

void Staging::abandon() noexcept {
  chunks_.clear();
  reset();
}

}  // namespace ulpfuzz::kernels::cuda
