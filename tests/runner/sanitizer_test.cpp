#include "sanitizer.hpp"

#include <gmock/gmock.h>

#include "tool_run.hpp"
#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using process::is_out_of_memory;
using process::report_cause;
using process::report_sentence;
using testing::HasSubstr;

// As GCC 12's and clang 14's runtimes write them; stacks and shadow bytes are left out.
const std::string overflow = R"(=================================================================
==7218==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000017 at pc 0x563c5cbab724 bp 0x7ffee7ae3730 sp 0x7ffee7ae3728
WRITE of size 1 at 0x602000000017 thread T0
    #0 0x563c5cbab723 in main /there/subject.cpp:16
SUMMARY: AddressSanitizer: heap-buffer-overflow /there/subject.cpp:16 in main
Shadow bytes around the buggy address:
)";
const std::string freed_twice =
    R"(==7228==ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in thread T0:
SUMMARY: AddressSanitizer: double-free ../../../../src/libsanitizer/asan/asan_new_delete.cpp:155 in operator delete[](void*)
==7228==ABORTING
)";
const std::string too_big =
    R"(==7245==ERROR: AddressSanitizer: requested allocation size 0x1c0000000000 (0x1c0000001000 after adjustments for alignment, red zones etc.) exceeds maximum supported size of 0x10000000000 (thread T0)
SUMMARY: AddressSanitizer: allocation-size-too-big ../asan_new_delete.cpp:98 in operator new[](unsigned long)
)";
const std::string exhausted =
    "==9==ERROR: AddressSanitizer failed to allocate 0x4000000 (67108864) bytes of "
    "SizeClassAllocator (error code: 12)\n";
const std::string race =
    "WARNING: ThreadSanitizer: data race (pid=3)\n"
    "SUMMARY: ThreadSanitizer: data race /there/rows.cpp:31 in sum\n";

TEST(SanitizerReport, NamesACauseWithoutPlacesAndAddresses) {
  EXPECT_EQ(report_cause(overflow), "asan heap-buffer-overflow");
  EXPECT_EQ(report_cause(freed_twice), "asan double-free");
  EXPECT_EQ(report_cause(race), "tsan data race");
  EXPECT_EQ(report_cause("SUMMARY: AddressSanitizer: SEGV (/there/bin+0x4f) in f\n"), "asan segv");
  EXPECT_EQ(report_cause("SUMMARY: MemorySanitizer: use-of-uninitialized-value /a/b.cpp:3:1\n"),
            "msan use-of-uninitialized-value");
  EXPECT_EQ(report_cause(exhausted), "asan out-of-memory");
}

TEST(SanitizerReport, NamesUndefinedBehaviourWithoutNumbersAndTypes) {
  const auto cause = [](const std::string& what) {
    return report_cause("/there/a.cpp:17:38: runtime error: " + what + "\n");
  };
  EXPECT_EQ(cause("signed integer overflow: 2147483647 + 2 cannot be represented in type 'int'"),
            "ubsan signed integer overflow");
  EXPECT_EQ(cause("index 12 out of bounds for type 'char [8]'"), "ubsan index out of bounds");
  EXPECT_EQ(cause("store to null pointer of type 'volatile int'"), "ubsan store to null pointer");
  EXPECT_EQ(cause("store to misaligned address 0x60b0000000f1 for type 'volatile int', which "
                  "requires 4 byte alignment"),
            "ubsan store to misaligned address");
  EXPECT_EQ(cause("shift exponent 70 is too large for 32-bit type 'int'"),
            "ubsan shift exponent is too large");
  EXPECT_EQ(cause("division by zero"), "ubsan division by zero");
  EXPECT_EQ(cause("load of value 7, which is not a valid value for type 'bool'"),
            "ubsan load of value");
}

TEST(SanitizerReport, TellsInALineWhatHappenedWhere) {
  EXPECT_EQ(report_sentence(overflow),
            "AddressSanitizer: heap-buffer-overflow subject.cpp:16 in main");
  EXPECT_EQ(report_sentence("noise\n/there/a.cpp:17:38: runtime error: division by zero\n"),
            "a.cpp:17:38: runtime error: division by zero");
}

TEST(SanitizerReport, OfAnAllocatorIsALackOfMemory) {
  EXPECT_TRUE(is_out_of_memory(too_big));
  EXPECT_TRUE(is_out_of_memory(exhausted));
  EXPECT_FALSE(is_out_of_memory(overflow));
}

TEST(SanitizerReport, IsNotSeenInOtherTexts) {
  for (const char* text : {"", "\n", "Segmentation fault", "ERROR", "runtime", "SUMMARY"}) {
    EXPECT_EQ(report_cause(text), "") << text;
    EXPECT_FALSE(is_out_of_memory(text)) << text;
  }
}

#if defined(ULPFUZZ_SANITIZED_CHILD)
TEST(SanitizerReport, OfAChildReachesItsParent) {
  const Scratch scratch;
  const std::string run =
      fmt::format("{} overflow freed signed index much segv chatter >{} 2>{}",
                  ULPFUZZ_SANITIZED_CHILD, (scratch / "out").string(), (scratch / "err").string());
  ASSERT_EQ(std::system(run.c_str()), 0) << content(scratch / "err");
  const std::string out = content(scratch / "out");
  EXPECT_THAT(out, HasSubstr("asan heap-buffer-overflow|ended by AddressSanitizer: "
                             "heap-buffer-overflow sanitized_child.cpp:"));
  EXPECT_THAT(out, HasSubstr("\nasan heap-use-after-free|"));
  EXPECT_THAT(out, HasSubstr("\nubsan signed integer overflow|ended by sanitized_child.cpp:"));
  EXPECT_THAT(out, HasSubstr("\nubsan index out of bounds|"));
  EXPECT_THAT(out, HasSubstr("\nmemory|could get no more memory|1\n"));
  EXPECT_THAT(out, HasSubstr("\nsigsegv|killed by SIGSEGV (Segmentation fault)|0\n"));
  EXPECT_THAT(out, HasSubstr("\nexit 0|ended itself with exit code 0|0\n"));
  EXPECT_EQ(content(scratch / "err"), "hello\n") << "reports belong to the finding";
}
#endif

}  // namespace
}  // namespace ulpfuzz
