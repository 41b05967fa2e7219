#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "profile.hpp"
#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::gpu {

/// How products are sent to a session's BLAS.
struct BlasSettings {
  enum class Library : std::uint8_t { blas, lt };
  Library library = Library::blas;
  kernels::MathMode mode = kernels::MathMode::standard;
  Format operand = Format::fp32;                        ///< fp16 and bf16: GemmEx
  std::size_t workspace_bytes = std::size_t{32} << 20;  ///< where there is any
};

/// Products by BLAS, everything else by our own kernels. A hash of the shape chooses, so that all
/// of it is used: the workspace (none, or all), of Lt the layout (column- or row-major) and the
/// algorithm, one of those that the heuristic lists. One row or column with fp32 operands is a
/// matrix times a vector (not in Lt). The bias is what y holds before (beta 1). Products without
/// elements or terms are not sent.
std::shared_ptr<const Profile> make_blas_profile(const BlasSettings& settings);

/// cublas/<name> and cublaslt/<name>.
struct NamedBlas {
  std::string_view name;
  BlasSettings settings;
};
std::span<const NamedBlas> blas_profiles();

}  // namespace ulpfuzz::gpu
