#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/kernels/element_programs.hpp"
#include "ulpfuzz/kernels/gemm_programs.hpp"
#include "ulpfuzz/kernels/pack_programs.hpp"
#include "ulpfuzz/kernels/row_programs.hpp"
#include "ulpfuzz/kernels/unit_programs.hpp"

/// The block programs of every launch, for hosts and devices alike: each of the headers above has,
/// for its launches,
///   workspace_of(launch)                   floats of workspace it needs
///   with_programs(launch, workspace, run)  calls run(program, blocks) for each of its programs, in
///                                          the order in which they are done; none for 0 blocks
namespace ulpfuzz::kernels {}
