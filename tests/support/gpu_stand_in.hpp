#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/stand_in_memory.hpp"
#include "support/stand_in_queue.hpp"
#include "ulpfuzz/kernels/blas.hpp"
#include "ulpfuzz/kernels/device.hpp"

/// Stand-ins for a GPU and for cuBLAS, for tests alone: host memory and correct arithmetic, as
/// strict as hardware and libraries are, or stricter.
namespace ulpfuzz::stand_in {

/// Kinds of calls that can be made to fail, and are counted. blas: gemm, gemv and lt_gemm;
/// heuristic: lt_algorithms.
enum class Call { allocate, upload, download, fill, launch, blas, heuristic, synchronize };
inline constexpr std::size_t call_kinds = 8;
/// "cudaMalloc", "cudaMemcpyAsync", ...
std::string name(Call call);

/// The `index`-th call of its kind fails with `status`. sticky: and so does every later call. late:
/// the call itself is fine, its work fails when it is done, which is sticky: a kernel's error.
struct Failure {
  Call call = Call::allocate;
  std::size_t index = 0;
  std::string status = "injected";
  bool sticky = false;
  bool late = false;
};

/// What a test orders of stand-ins, and what it sees of them; outlives them.
struct Control {
  std::optional<Failure> failure;
  std::size_t capacity = std::size_t{1} << 30;  ///< bytes that can be allocated at once
  unsigned streams = 4;
  int architecture = 90;
  unsigned seed = 1;                                ///< of the order in which streams are served
  bool lists_algorithms = true;                     ///< else the heuristic of Lt finds none
  std::vector<kernels::MathMode> unsupported = {};  ///< modes that the BLAS does not offer

  std::array<std::size_t, call_kinds> calls = {};  ///< so far, of each kind
  std::map<std::string, std::size_t> names;        ///< calls by the name of the function
  std::size_t live = 0;                            ///< allocations not released yet
  std::size_t devices = 0;                         ///< that exist
  std::vector<std::string> faults;                 ///< misuse that real devices may let pass

  std::size_t count(Call call) const { return calls[static_cast<std::size_t>(call)]; }
};

/// A device whose memory is the host's. Work is done in `synchronize` alone, stream by stream in an
/// order of bad luck where neither fork nor join gives one. Addresses outside allocations are a
/// sticky error then. Guard bytes around allocations, leaks, double releases, host memory that
/// changes while an upload is queued: Control::faults.
class GpuStandIn final : public kernels::Device {
 public:
  explicit GpuStandIn(std::shared_ptr<Control> control);
  ~GpuStandIn() override;

  std::string environment() const override;
  int architecture() const override { return control_->architecture; }
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void fill(float* to, std::uint32_t bits, std::size_t count) override;
  void launch(const kernels::Launch& launch, float* workspace) override;
  unsigned streams() const override { return control_->streams; }
  void select(unsigned stream) override { queue_.select(stream); }
  void fork() override { queue_.fork(); }
  void join() override { queue_.join(); }
  void synchronize() override;

  /// As events do.
  Queue::Mark mark() const { return queue_.mark(); }
  void wait(const Queue::Mark& mark) { queue_.wait(mark); }

  /// For the BLAS: counts the call and fails if it is to.
  void begin(Call call, const std::string& function);
  /// Queues work of the call begun last, which touches these ranges.
  void queue(std::vector<Range> ranges, std::function<void()> work);
  Control& control() { return *control_; }

 private:
  void run_queue();
  void check_guards();

  std::shared_ptr<Control> control_;
  std::unique_ptr<kernels::Device> host_;
  Memory memory_;
  Queue queue_;
  std::string begun_;          // the call begun last
  bool fails_late_ = false;    // its work is to fail
  std::string sticky_status_;  // of the error that the device is left with; empty for none
};

}  // namespace ulpfuzz::stand_in
