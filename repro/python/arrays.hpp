#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text.hpp"

namespace ulpfuzz::repro {

/// How a library makes arrays of float32.
enum class Arrays : std::uint8_t { torch, numpy };

/// Statements that make `name` an array of `dims` (one to three of them) with these values:
/// constants, equal rows and few exceptions said as such. No line is longer than 100 characters.
Lines python_array(const std::string& name, const std::vector<std::size_t>& dims,
                   std::span<const float> data, Arrays arrays);

}  // namespace ulpfuzz::repro
