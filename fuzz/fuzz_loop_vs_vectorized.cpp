#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto c = ulpfuzz::fuzz::case_of({data, size}, ulpfuzz::generators::gradient_limits());
  if (c) ulpfuzz::fuzz::abort_on_failure(ulpfuzz::properties::loop_vs_vectorized, *c);
  return 0;
}
