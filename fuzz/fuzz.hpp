#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"

// What the fuzz targets share. Only this room prints and aborts.
namespace ulpfuzz::fuzz {

/// The case of a fuzzer's input: a binary or text case file, else choices of draw_case. Nothing for
/// text that is no case.
std::optional<Case> case_of(std::span<const std::uint8_t> bytes, const generators::Limits& limits);

/// Checks the property with every built-in subject but the references, and feeds the largest share
/// back to the fuzzer. At a failure: the account, "DEDUP_TOKEN: bucket", the case as a file in the
/// working folder, and abort().
void abort_on_failure(const Property& property, const Case& c);

[[noreturn]] void fail(std::string_view what);

}  // namespace ulpfuzz::fuzz
