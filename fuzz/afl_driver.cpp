// A libFuzzer target under afl-fuzz: what clang counts for libFuzzer (inline 8-bit counters) and
// the extra counters go into AFL++'s map, so that the same objects serve both, shares included.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

extern "C" {
extern std::uint8_t* __afl_area_ptr;  // of AFL++'s run-time library
extern std::uint8_t __start___libfuzzer_extra_counters[] __attribute__((weak));
extern std::uint8_t __stop___libfuzzer_extra_counters[] __attribute__((weak));
int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// What -fsanitize=fuzzer-no-link asks for beyond that library.
thread_local std::uintptr_t __sancov_lowest_stack = 0;
void __sanitizer_cov_pcs_init(const std::uintptr_t*, const std::uintptr_t*) {}
void __sanitizer_cov_trace_pc_indir(std::uintptr_t) {}
}

namespace {

constexpr std::size_t map_size = 1 << 16;  // of afl-fuzz, unless the target asks for more

std::vector<std::span<std::uint8_t>>& counters() {
  static std::vector<std::span<std::uint8_t>> all{
      {__start___libfuzzer_extra_counters, __stop___libfuzzer_extra_counters}};
  return all;
}

}  // namespace

extern "C" void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end) {
  if (begin != end) counters().emplace_back(begin, end);
}

// The driver's calls come here: -Wl,--wrap.
extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto part : counters()) std::ranges::fill(part, std::uint8_t{0});
  const int result = __real_LLVMFuzzerTestOneInput(data, size);
  std::size_t at = 0;
  for (const auto part : counters()) {
    for (const std::uint8_t count : part) {
      if (count != 0) __afl_area_ptr[at % map_size] = count;
      ++at;
    }
  }
  return result;
}
