#pragma once

/// Marks a free function to be compiled once more for AVX2 and AVX-512 machines and chosen at load
/// time. Fusing stays off, so all clones give the same bits.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    defined(__x86_64__) && defined(__OPTIMIZE__)
#define ULPFUZZ_VECTOR_CLONES \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ULPFUZZ_VECTOR_CLONES
#endif
