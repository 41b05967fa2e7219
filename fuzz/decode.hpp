#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/generators/source.hpp"

// Cases as a fuzzer's inputs. Functions of their arguments alone.
namespace ulpfuzz::fuzz {

/// Total: a case file in either form, brought within the limits; else choices of draw_case(), of
/// which no bytes at all make about the smallest case there is.
Case decoded(std::span<const std::uint8_t> bytes, const generators::Limits& limits);

/// The canonical binary form, without notes.
std::vector<std::uint8_t> encoded(const Case& c);

/// Changes bytes as a fuzzer does: (data, size, most) -> size. May be nothing.
using ByteMutator = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most);

/// Another case as bytes, at most `most` of them: mutated, or numbers of a tensor changed by
/// `bytes`. What would be too long is simplified. Empty where not even that fits.
std::vector<std::uint8_t> changed(std::span<const std::uint8_t> input, std::size_t most,
                                  std::uint64_t seed, const generators::Limits& limits,
                                  ByteMutator bytes);
/// Parts of `b` in `a`.
std::vector<std::uint8_t> crossed(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                                  std::size_t most, std::uint64_t seed,
                                  const generators::Limits& limits);

}  // namespace ulpfuzz::fuzz
