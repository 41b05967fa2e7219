#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"

// A target is one property, which a file fuzz_<property>.cpp names. Only this room prints and
// aborts.
namespace ulpfuzz::fuzz {

/// Of the target: given in its own file.
const Property& target_property();
const generators::Limits& target_limits();
/// Ends the process. A function of the target, never inlined, so that the stacks of properties
/// differ.
[[noreturn]] void end_of_target();

/// Reads the settings; ends the process with 2 where they are wrong.
void initialize();
/// Checks the property of a case on all subjects, feeds back what it saw, and keeps findings.
void run_one(std::span<const std::uint8_t> bytes);
/// A change of one of the worst cases so far, as at most `most` bytes. Empty where none fits, or
/// where shares are not fed back.
std::vector<std::uint8_t> climbed(std::size_t most, std::uint64_t seed);

}  // namespace ulpfuzz::fuzz
