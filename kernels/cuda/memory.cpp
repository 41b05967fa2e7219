#include "memory.hpp"

#include <bit>
#include <string>

#include "status.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

std::size_t class_of(std::size_t bytes) {
  constexpr std::size_t smallest = 4096;
  if (bytes <= smallest) return smallest;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes - 1) / step * step + step;
}

}  // namespace

MemoryCache::~MemoryCache() {
  for (const auto& [memory, size] : class_of_) cudaFree(memory);
}

void* MemoryCache::take(std::size_t bytes) {
  const std::size_t size = class_of(bytes);
  std::vector<void*>& kept = kept_[size];
  if (!kept.empty()) {
    void* memory = kept.back();
    kept.pop_back();
    return memory;
  }
  void* memory = nullptr;
  cudaError_t status = cudaMalloc(&memory, size);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    free_kept();
    status = cudaMalloc(&memory, size);
  }
  if (status != cudaSuccess)
    check(status, ("cudaMalloc of " + std::to_string(size) + " bytes").c_str());
  class_of_.emplace(memory, size);
  return memory;
}

void MemoryCache::give_back(void* memory) noexcept {
  const auto found = class_of_.find(memory);
  if (found == class_of_.end()) return;
  try {
    kept_[found->second].push_back(memory);
  } catch (...) {  // no room to remember it
    cudaFree(memory);
    class_of_.erase(found);
  }
}

void MemoryCache::abandon() noexcept {
  kept_.clear();
  class_of_.clear();
}

void MemoryCache::free_kept() noexcept {
  for (auto& [size, kept] : kept_) {
    for (void* memory : kept) {
      cudaFree(memory);
      class_of_.erase(memory);
    }
    kept.clear();
  }
}

}  // namespace ulpfuzz::kernels::cuda
