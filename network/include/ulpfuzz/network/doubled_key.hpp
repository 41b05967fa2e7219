#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ulpfuzz {

/// Parsers of JSON let the last of two equal keys win, silently: what a file says and what is read
/// of it differ. The place of the first key that an object of `json` has twice, as
/// "known[3].until"; nothing where there is none, or up to where the text is no JSON.
std::optional<std::string> doubled_key(std::string_view json);

}  // namespace ulpfuzz
