#include "feedback.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "ulpfuzz/search/features.hpp"

// The counters of code that clang puts into this program
// (-fsanitize-coverage=inline-8bit-counters); without any, both are null.
extern "C" {
extern std::uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern std::uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
// The deepest that the stack has been in counted code: a feature too. Begins each input anew.
extern __thread std::uintptr_t __sancov_lowest_stack;
}

namespace ulpfuzz::fuzz {
namespace {
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[search::feature_count];
std::uintptr_t stack_before = 0;

std::span<std::uint8_t> code_counters() { return {__start___sancov_cntrs, __stop___sancov_cntrs}; }

}  // namespace

void feed_back(const Case& c, const Verdict& verdict, bool gradient) {
  for (const std::uint32_t feature : search::features(c, verdict, gradient)) counters[feature] = 1;
}

Unseen::Unseen()
    : before_(code_counters().begin(), code_counters().end()), stack_(__sancov_lowest_stack) {}
Unseen::~Unseen() {
  std::ranges::copy(before_, code_counters().begin());
  __sancov_lowest_stack = stack_;
}

void begin_input() { stack_before = __sancov_lowest_stack; }

void forget_this_input() {
  std::ranges::fill(counters, std::uint8_t{0});
  std::ranges::fill(code_counters(), std::uint8_t{0});
  __sancov_lowest_stack = stack_before;
}

}  // namespace ulpfuzz::fuzz
