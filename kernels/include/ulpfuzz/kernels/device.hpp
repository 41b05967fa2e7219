#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

#include "ulpfuzz/kernels/element_launches.hpp"
#include "ulpfuzz/kernels/product.hpp"
#include "ulpfuzz/kernels/row_launches.hpp"

namespace ulpfuzz::kernels {

/// One kernel call, as plain data: which block program, with which arguments. Pointers are the
/// device's.
using Launch = std::variant<Gemm, Gemv, UnitGemm, Softmax, Norm, RowGradient, ColumnSum, Map, Move,
                            CheckZones, Pack>;

/// A call that a device refused. `sticky`: the process cannot use the device any more.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(const std::string& what, bool sticky) : std::runtime_error(what), sticky_(sticky) {}
  bool sticky() const { return sticky_; }

 private:
  bool sticky_;
};

/// What runs kernels: a GPU, or the host in its place. Work is queued on streams, of which
/// `select` chooses the current one; work on one stream is done in order. All functions throw
/// DeviceError, naming the call and what the device said; errors of queued work may come later,
/// from `synchronize` at the latest.
class Device {
 public:
  virtual ~Device() = default;

  /// "host", "NVIDIA H200, sm_90, driver 580.65, CUDA 13.0"
  virtual std::string environment() const = 0;
  /// sm_90: 90; 0 on the host.
  virtual int architecture() const = 0;

  /// Aligned to 256 bytes; never null, also for 0 bytes.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Queued. Host memory must stay as it is until `synchronize`.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Queued. Writes the bits of a float `count` times.
  virtual void fill(float* to, std::uint32_t bits, std::size_t count) = 0;

  /// Queued. `workspace` is workspace_floats(launch) floats of the device's that nothing else uses
  /// until it is done; null where that is 0.
  virtual void launch(const Launch& launch, float* workspace) = 0;

  virtual unsigned streams() const { return 1; }
  virtual void select(unsigned /*stream*/) {}
  /// Work queued on other streams from here on begins after what is queued on the current one now.
  virtual void fork() {}
  /// Work queued on the current stream from here on begins after all that is queued on any.
  virtual void join() {}
  /// Waits for all streams.
  virtual void synchronize() = 0;
};

/// Floats of workspace that a launch needs: partial sums of split-K and stream-K.
std::size_t workspace_floats(const Launch& launch);

/// In which order a HostDevice runs the blocks of a launch whose result depends on it (atomics).
enum class BlockOrder : std::uint8_t {
  ascending,
  shuffled  ///< another order every time, from a fixed seed
};

/// Runs block programs in this thread and its memory, at once.
std::unique_ptr<Device> make_host_device(BlockOrder order = BlockOrder::ascending);

}  // namespace ulpfuzz::kernels
