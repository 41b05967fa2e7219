#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto c = ulpfuzz::fuzz::case_of({data, size}, {});
  if (c) ulpfuzz::fuzz::abort_on_failure(ulpfuzz::properties::batched_vs_sliced, *c);
  return 0;
}
