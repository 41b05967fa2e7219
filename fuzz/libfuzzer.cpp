// How libFuzzer changes inputs: as cases, because bytes of a case file that are changed blindly
// fail their checksum.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "decode.hpp"
#include "target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {
using namespace ulpfuzz;

// libFuzzer picks the crossover as often as the mutator, which is more than it is worth.
constexpr unsigned crossings_percent = 20;
constexpr unsigned climbs_percent = 60;  // of calls of the mutator, where shares are fed back

std::size_t put(std::span<const std::uint8_t> bytes, std::uint8_t* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

bool has_flag(int argc, char** argv, std::string_view flag) {
  return std::any_of(argv + 1, argv + argc,
                     [&](const char* arg) { return std::string_view(arg).starts_with(flag); });
}

}  // namespace

// Cases are kilobytes long from the first on: libFuzzer's usual 4096 bytes would keep out all but
// the smallest, and growing from 4 bytes on, all. Flags of the command line come first.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::array<char, 32> most{"-max_len=65536"}, control{"-len_control=0"};
  static std::vector<char*> flags;
  flags.assign(*argv, *argv + *argc);
  if (!has_flag(*argc, *argv, "-max_len=")) flags.insert(flags.begin() + 1, most.data());
  if (!has_flag(*argc, *argv, "-len_control=")) flags.insert(flags.begin() + 1, control.data());
  *argc = static_cast<int>(flags.size());
  flags.push_back(nullptr);
  *argv = flags.data();
  fuzz::initialize();
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  auto bytes =
      seed % 100 < climbs_percent ? fuzz::climbed(most, seed) : std::vector<std::uint8_t>();
  if (bytes.empty())
    bytes = fuzz::changed({data, size}, most, seed, fuzz::target_limits(), LLVMFuzzerMutate);
  // Too short for any case: choices.
  return bytes.empty() ? LLVMFuzzerMutate(data, size, most) : put(bytes, data);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t size_a,
                                                 const std::uint8_t* b, std::size_t size_b,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  const auto& limits = fuzz::target_limits();
  const bool cross = seed % 100 < crossings_percent;
  const auto bytes = cross ? fuzz::crossed({a, size_a}, {b, size_b}, most, seed, limits)
                           : fuzz::changed({a, size_a}, most, seed, limits, nullptr);
  return bytes.empty() ? 0 : put(bytes, out);
}
