#pragma once

#include <string>

namespace ulpfuzz::repro {

/// A file name as a word of sh, and never an option. Throws std::invalid_argument for a name with
/// control characters: it has no place in a comment of one line.
std::string shell_word(const std::string& name);

/// Spaces in place of control characters: what others wrote must not end a comment or a list item.
std::string one_line(std::string text);

}  // namespace ulpfuzz::repro
