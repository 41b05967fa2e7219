// For programs whose objects count for a fuzzer, and that none runs: seeds, and what afl-fuzz
// loads. Weak, because sanitizers bring their own.
#include <cstdint>

#define ULPFUZZ_UNHEARD __attribute__((weak))

extern "C" {
__attribute__((weak)) thread_local std::uintptr_t __sancov_lowest_stack = 0;
ULPFUZZ_UNHEARD void __sanitizer_cov_8bit_counters_init(std::uint8_t*, std::uint8_t*) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_pcs_init(const std::uintptr_t*, const std::uintptr_t*) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_pc_indir(std::uintptr_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_cmp1(std::uint8_t, std::uint8_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_cmp2(std::uint16_t, std::uint16_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_cmp4(std::uint32_t, std::uint32_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_cmp8(std::uint64_t, std::uint64_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_const_cmp1(std::uint8_t, std::uint8_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_const_cmp2(std::uint16_t, std::uint16_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_const_cmp4(std::uint32_t, std::uint32_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_const_cmp8(std::uint64_t, std::uint64_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_div4(std::uint32_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_div8(std::uint64_t) {}
ULPFUZZ_UNHEARD void __sanitizer_cov_trace_gep(std::uintptr_t) {}
}
