// Whatever is read comes back the same from both forms, and equal cases give equal bytes.
#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "reader.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzz {
namespace {

void round_trips(const CaseFile& file) {
  const auto bytes = to_bytes(file);
  if (to_bytes(case_from_bytes(bytes, "again")) != bytes) fail("binary form loses");
  const std::string text = to_text(file);
  const CaseFile again = case_from_text(text, "again", {});
  if (to_bytes(again) != bytes) fail("text form loses");
  if (to_text(again) != text) fail("text form is not canonical");
  if (content_hash(again.value) != content_hash(file.value)) fail("content hash changes");
}

void read_text(std::string_view text) {
  try {
    round_trips(case_from_text(text, "input", ULPFUZZ_READER_FILES));
  } catch (const FileError&) {
  }
}

void read_binary(std::span<const std::uint8_t> bytes) {
  try {
    const CaseFile file = case_from_bytes(bytes, "input");
    if (!std::ranges::equal(to_bytes(file), bytes)) fail("two spellings of one case");
    round_trips(file);
  } catch (const FileError&) {
  }
}

// The checksum hides what lies below it from a fuzzer: make it fit.
std::vector<std::uint8_t> with_checksum(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> fitting(bytes.begin(), bytes.end());
  if (bytes.size() < 8) return fitting;
  std::uint64_t checksum = XXH64(bytes.data(), bytes.size() - 8, 0);
  for (std::size_t k = 8; k > 0; --k, checksum >>= 8)
    fitting[bytes.size() - k] = static_cast<std::uint8_t>(checksum);
  return fitting;
}

}  // namespace
}  // namespace ulpfuzz::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ulpfuzz::fuzz;
  const std::span bytes(data, size);
  if (size > 0 && data[0] == '{') {
    read_text(characters(bytes));
  } else {
    read_binary(bytes);
    read_binary(with_checksum(bytes));
  }
  return 0;
}
