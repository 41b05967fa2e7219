#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::fuzz {

/// Tells the fuzzer, beside the code that ran, what the trial showed: search::features(). Counters
/// are 0 or 1, since each power of two of one would be a feature of its own.
void feed_back(const Case& c, const Verdict& verdict, bool gradient);

/// What runs while there is one is not seen: it depends on clocks and disks, not on the input, and
/// a fuzzer that is told of it finds something new each second. (This room itself is not counted.)
class Unseen {
 public:
  Unseen();
  ~Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  std::vector<std::uint8_t> before_;
  std::uintptr_t stack_;
};

/// At the begin of each input.
void begin_input();
/// Makes the fuzzer see nothing new in the input that it runs now, neither code nor stack nor
/// shares, so that it does not become a seed: libFuzzer up to clang 14 has no other way to refuse
/// one.
void forget_this_input();

}  // namespace ulpfuzz::fuzz
