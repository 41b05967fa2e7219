#pragma once

/// In front of short loops whose counts are constants, nested as
///   ULPFUZZ_UNROLL for rows  ULPFUZZ_ALONG for columns
/// so that an array of accumulators stays in registers: a device's threads unroll both; a host's
/// compilers unroll the rows and vectorise along the columns (g++ 12 does not vectorise a fused
/// multiply-add once its loop is unrolled).
#if defined(__CUDACC__)
#define ULPFUZZ_UNROLL _Pragma("unroll")
#define ULPFUZZ_ALONG _Pragma("unroll")
#elif defined(__clang__)
#define ULPFUZZ_UNROLL _Pragma("unroll")
#define ULPFUZZ_ALONG
#else
#define ULPFUZZ_UNROLL _Pragma("GCC unroll 16")
#define ULPFUZZ_ALONG _Pragma("GCC unroll 1")
#endif

/// For what is called rarely and would be long in every caller.
#define ULPFUZZ_APART __attribute__((noinline))
