#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "profile.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::gpu {

/// Where a GPU subject finds its device. `make` is called at the first evaluation in a process, not
/// before: CUDA does not survive a fork, and workers are forked.
struct DeviceSource {
  std::function<std::unique_ptr<kernels::Device>()> make;
  std::function<std::optional<std::string>()> unavailable;  ///< why there is none
  std::function<std::string()> environment;
  std::function<int()> architecture;
  std::size_t group = 1;  ///< evaluations at once that keep it busy
  /// Its BLAS (Session::blas), made after it and destroyed before it; may be empty.
  std::function<std::unique_ptr<kernels::Blas>(kernels::Device&)> blas = {};
};
/// The host in place of a device.
DeviceSource host_source(kernels::BlockOrder order = kernels::BlockOrder::ascending);

/// Evaluates networks on a device with the kernels that `profile` chooses: parameters and inputs
/// are uploaded, every node is queued, outputs are downloaded; the memory around each value is
/// checked (SubjectFault, FailureClass::out_of_bounds). Several evaluations at once are queued on
/// the device's streams and waited for once. A sticky error leaves it `broken`.
std::unique_ptr<const Subject> make_gpu_subject(std::string name,
                                                std::shared_ptr<const Profile> profile,
                                                DeviceSource source);

}  // namespace ulpfuzz::gpu
