#include <algorithm>

#include "fuzz.hpp"
#include "ulpfuzz/network/case_file.hpp"

// Whatever is read comes back the same from both forms, and equal cases give equal bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ulpfuzz;
  try {
    const bool text = size > 0 && data[0] == '{';
    const std::string_view chars(reinterpret_cast<const char*>(data), size);
    const CaseFile file = text ? case_from_text(chars, "input", ULPFUZZ_SEEDS)
                               : case_from_bytes({data, size}, "input");
    const auto bytes = to_bytes(file);
    if (!text && !std::ranges::equal(bytes, std::span(data, size))) fuzz::fail("not canonical");
    if (to_bytes(case_from_bytes(bytes, "again")) != bytes) fuzz::fail("binary form loses");
    if (to_bytes(case_from_text(to_text(file), "again", {})) != bytes)
      fuzz::fail("text form loses");
  } catch (const FileError&) {
  }
  return 0;
}
