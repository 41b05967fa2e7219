#pragma once

/// Marks a function that exists on host and device; empty for a plain C++ compiler.
#if defined(__CUDACC__)
#define ULPFUZZ_HOST_DEVICE __host__ __device__
#else
#define ULPFUZZ_HOST_DEVICE
#endif

/// In front of templates that call a function of the caller's, which may exist on one side only.
#if defined(__CUDACC__)
#define ULPFUZZ_ANY_CALLER _Pragma("nv_exec_check_disable")
#else
#define ULPFUZZ_ANY_CALLER
#endif
