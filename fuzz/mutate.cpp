// Changes cases as cases: bytes of a case file that libFuzzer changes blindly fail their checksum.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace ulpfuzz::fuzz {
namespace {

using generators::SeedSource;

std::vector<float>* any_tensor(Case& c, SeedSource& random) {
  auto& list = random.chance(50) || c.parameters.empty() ? c.inputs : c.parameters;
  auto& data = list[random.below(list.size())].data;
  return data.empty() ? nullptr : &data;
}

// Bytes of a tensor, by the fuzzer's own mutations; all of it by a power of two.
void mutate_values(Case& c, SeedSource& random) {
  auto* data = any_tensor(c, random);
  if (data == nullptr) return;
  if (random.chance(20)) {
    const float scale = random.chance(50) ? 0.5f : 2.0f;
    for (float& x : *data) x *= scale;
    return;
  }
  const std::size_t size = std::min<std::size_t>(data->size(), 64) * sizeof(float);
  const std::size_t first = random.below(data->size() - size / sizeof(float) + 1);
  LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(data->data() + first), size, size);
}

Case mutated(Case c, SeedSource& random) {
  const std::uint64_t kind = random.below(10);
  if (kind < 6) {
    mutate_values(c, random);
  } else if (kind < 8) {
    return generators::with_random_low_bits(c, random.next());
  } else {
    const auto edits = generators::simpler(c);
    if (!edits.empty())
      return edits[random.below(std::min<std::size_t>(edits.size(), 200))].apply();
  }
  return c;
}

}  // namespace
}  // namespace ulpfuzz::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace ulpfuzz;
  generators::SeedSource random(seed, size);
  try {
    const Case c = case_from_bytes({data, size}, "fuzzer input").value;
    const auto bytes = to_bytes({fuzz::mutated(c, random), {}});
    if (bytes.size() > most) return size;
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
  } catch (const FileError&) {
  }
  const std::size_t changed = LLVMFuzzerMutate(data, size, most);
  if (!random.chance(5)) return changed;
  // Choices become a case file now and then, whose numbers then change one by one.
  const auto bytes = to_bytes({generators::case_from_fuzzer({data, changed}), {}});
  if (bytes.size() > most) return changed;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
