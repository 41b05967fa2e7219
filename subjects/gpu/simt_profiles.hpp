#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "profile.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::gpu {

/// A profile of our own kernels, for subjects simt/<name> and cuda/<name>.
struct SimtProfile {
  std::string_view name;
  std::shared_ptr<const Profile> (*make)();
  kernels::BlockOrder order = kernels::BlockOrder::ascending;  ///< on the host
};
std::span<const SimtProfile> simt_profiles();

std::shared_ptr<const Profile> make_xla_ada();
std::shared_ptr<const Profile> make_cublas_fp32();
std::shared_ptr<const Profile> make_cublas_tf32();
std::shared_ptr<const Profile> make_batch_invariant();
std::shared_ptr<const Profile> make_atomics();

}  // namespace ulpfuzz::gpu
