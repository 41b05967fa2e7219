#pragma once

#include <cstdint>
#include <span>

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

}  // namespace ulpfuzz::fuzz
