#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ulpfuzz {

/// Appends x as "-0x1.8p-3", "0x0p+0", "inf" or "nan:7fc00001" (all 32 bits): one spelling a float.
void append_float(std::string& out, float x);

/// The inverse; also takes "nan" and decimals ("0.1", rounded to nearest). Nothing for any other
/// text, a hex float with more bits than fp32 has, or a value outside its range.
std::optional<float> parse_float(std::string_view text);

inline constexpr std::string_view float_spelling =
    "floats are written 0x1.8p-3, 0.25, inf, -inf or nan:7fc00001";

}  // namespace ulpfuzz
