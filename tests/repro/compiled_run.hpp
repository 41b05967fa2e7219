#pragma once

#include <string>

#include "shell.hpp"

namespace ulpfuzz::repro {

/// Writes the program under the name `file` in a new folder, and runs its first comment there by
/// the shell. `flags` are put behind the compiler's name.
Ran run_compiled(const std::string& program, const std::string& file,
                 const std::string& flags = "");

/// What g++ -Wall -Wextra says of it; empty if nothing. `flags` as its first comment has them.
std::string warnings_of(const std::string& program, const std::string& flags = "");

/// The command in the first comment.
std::string command_of(const std::string& program);

}  // namespace ulpfuzz::repro
