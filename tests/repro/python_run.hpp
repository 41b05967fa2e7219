#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "shell.hpp"
#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

/// Writes the program under the name that its first comment gives, in a new folder, and runs that
/// comment there by the shell, with the python3 that has the language's library. `plant`: a fault
/// that tests/repro/planted puts into the library; none if empty.
Ran run_program(Language language, const std::string& program, const std::string& plant = "");

/// Why there is no python3 with the language's library; nothing if there is.
std::optional<std::string> unavailable(Language language);

/// Folder with the python3 that has it.
std::filesystem::path python_folder(Language language);

}  // namespace ulpfuzz::repro
