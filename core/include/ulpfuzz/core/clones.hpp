#pragma once

/// Marks a free function with a hot loop to be compiled once more for AVX2 and AVX-512 machines and
/// chosen at load time. Contraction is off, so all clones give the same bits. One version only
/// where a sanitizer is not ready when the choice is made, where the compiler is clang, whose
/// versions differ in taking this, and without optimisation.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ULPFUZZ_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ULPFUZZ_CLONES
#endif

/// For the bodies of such loops, which must be compiled inside each clone.
#define ULPFUZZ_INLINE [[gnu::always_inline]] inline
