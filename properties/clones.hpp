#pragma once

// Hot loops compiled for several instruction sets and chosen at load time. Contraction is off, so
// each clone gives the same bits. Sanitizers do not survive the resolver.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ULPFUZZ_NO_CLONES
#endif
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(ULPFUZZ_NO_CLONES)
#define ULPFUZZ_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ULPFUZZ_CLONES
#endif
