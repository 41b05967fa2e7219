#include "simt_profiles.hpp"

namespace ulpfuzz::gpu {
namespace {

constexpr SimtProfile profiles[] = {{"xla-ada", make_xla_ada},
                                    {"cublas-fp32", make_cublas_fp32},
                                    {"cublas-tf32", make_cublas_tf32},
                                    {"batch-invariant", make_batch_invariant},
                                    {"atomics", make_atomics, kernels::BlockOrder::shuffled}};

}  // namespace

std::span<const SimtProfile> simt_profiles() { return profiles; }

}  // namespace ulpfuzz::gpu
