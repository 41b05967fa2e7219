#pragma once

#include <string>

namespace ulpfuzz {

/// `text` with U+FFFD in place of what is not UTF-8: notes quote what subjects say.
std::string as_utf8(const std::string& text);

}  // namespace ulpfuzz
