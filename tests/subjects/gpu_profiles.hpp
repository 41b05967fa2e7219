#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gpu/gpu_subject.hpp"

/// Profiles for tests of GpuSubject.
namespace ulpfuzz::gpu_tests {

/// Sums from left to right without contraction: what the subject `loops` computes, row ops aside.
class Plain : public gpu::Profile {
 public:
  std::string description() const override { return "plain"; }
  Arithmetic arithmetic(int) const override { return {}; }
  void multiply(gpu::Session& session, const kernels::Product& product) const override {
    session.launch(
        kernels::Gemm{.product = product, .tile = kernels::Tile::m16n16k16, .fused = false});
  }
};

/// Plain, then what a test wants.
class Scripted final : public Plain {
 public:
  using Script = std::function<void(gpu::Session&, const kernels::Product&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void multiply(gpu::Session& session, const kernels::Product& product) const override {
    Plain::multiply(session, product);
    script_(session, product);
  }

 private:
  Script script_;
};

inline std::unique_ptr<const Subject> on_host(std::shared_ptr<const gpu::Profile> profile) {
  return gpu::make_gpu_subject("simt/test", std::move(profile), gpu::host_source());
}

/// Writes `count` floats.
inline void write(gpu::Session& session, float* to, std::size_t count, float value = 3.0f) {
  session.device().fill(to, __builtin_bit_cast(std::uint32_t, value), count);
}

}  // namespace ulpfuzz::gpu_tests
