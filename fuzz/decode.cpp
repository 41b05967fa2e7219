#include "decode.hpp"

#include <algorithm>
#include <stdexcept>

#include "ulpfuzz/generators/mutate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzz {
namespace {

using generators::Limits;
using generators::SeedSource;

// Some neighbours in a tensor, by the fuzzer's own mutations, which know constants that code
// compares with.
void change_numbers(Case& c, SeedSource& random, ByteMutator bytes) {
  Tensor* const tensor = generators::any_tensor(c, random);
  if (tensor == nullptr) return;
  auto& data = tensor->data;
  const std::size_t count = std::min<std::size_t>(data.size(), 1 + random.below(16));
  const std::size_t first = random.below(data.size() - count + 1);
  const std::size_t size = count * sizeof(float);
  bytes(reinterpret_cast<std::uint8_t*>(data.data() + first), size, size);
}

std::vector<std::uint8_t> no_longer_than(std::size_t most, Case c, SeedSource& random) {
  auto bytes = encoded(c);
  for (int tries = 0; tries < 64 && bytes.size() > most; ++tries) {
    const auto& passes = generators::passes();
    const auto edits = passes[random.below(passes.size())].edits(c, {});
    if (edits.empty()) continue;
    Case next = edits[random.below(edits.size())].apply();
    auto shorter = encoded(next);
    if (shorter.size() >= bytes.size()) continue;
    c = std::move(next);
    bytes = std::move(shorter);
  }
  if (bytes.size() > most) bytes.clear();
  return bytes;
}

std::optional<Case> from_file(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    if (text.starts_with("ULPCASE")) return case_from_bytes(bytes, "input").value;
    if (text.starts_with('{')) return case_from_text(text, "input", ULPFUZZ_SEEDS).value;
  } catch (const FileError&) {
  }
  return std::nullopt;
}

}  // namespace

Case decoded(std::span<const std::uint8_t> bytes, const Limits& limits) {
  if (const auto c = from_file(bytes)) {
    SeedSource random(0, 0);
    return generators::fitted(*c, random, limits);
  }
  return generators::case_from_fuzzer(bytes, limits);
}

std::vector<std::uint8_t> encoded(const Case& c) { return to_bytes({c, {}}); }

std::vector<std::uint8_t> changed(std::span<const std::uint8_t> input, std::size_t most,
                                  std::uint64_t seed, const Limits& limits, ByteMutator bytes) {
  SeedSource random(seed, input.size());
  Case c = decoded(input, limits);
  if (bytes != nullptr && random.chance(6))
    change_numbers(c, random, bytes);
  else
    c = generators::mutated(c, random, limits);
  return no_longer_than(most, std::move(c), random);
}

std::vector<std::uint8_t> crossed(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                                  std::size_t most, std::uint64_t seed, const Limits& limits) {
  SeedSource random(seed, a.size());
  Case c = generators::crossed(decoded(a, limits), decoded(b, limits), random, limits);
  return no_longer_than(most, std::move(c), random);
}

}  // namespace ulpfuzz::fuzz
