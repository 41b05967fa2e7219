#pragma once

// Hot loops compiled for several instruction sets and chosen at load time. Contraction is off, so
// each clone gives the same bits. Sanitizers do not survive the resolver.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && defined(__OPTIMIZE__)
#define ULPFUZZ_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ULPFUZZ_CLONES
#endif

// For bodies of hot loops, which must be compiled inside each clone.
#define ULPFUZZ_INLINE [[gnu::always_inline]] inline

// Blocks of eight doubles are passed between functions that are always inlined; the warning about
// their calling convention concerns calls that do not exist.
#pragma GCC diagnostic ignored "-Wpsabi"
