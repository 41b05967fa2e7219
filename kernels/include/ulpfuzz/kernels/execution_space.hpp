#pragma once

/// Marks a function that exists on host and device; empty for a plain C++ compiler.
#if defined(__CUDACC__)
#define ULPFUZZ_HOST_DEVICE __host__ __device__
#else
#define ULPFUZZ_HOST_DEVICE
#endif
