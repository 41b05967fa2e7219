#pragma once

#include <string>
#include <string_view>

namespace ulpfuzz::process {

/// Is this program built with a sanitizer (AddressSanitizer, UndefinedBehaviorSanitizer)?
bool is_sanitized();

/// In the parent of a process to be: a file in memory for the report of a sanitizer, or -1 where
/// there is none to come.
int open_report();
/// In the child: what goes to stderr goes there. (Runtimes can be told of a file, but GCC's two
/// close each other's.)
void report_to(int fd);
/// In the parent, after the child's death: what was reported. Closes the file. What the child said
/// on stderr that is no report is passed on.
std::string take_report(int fd);

/// "asan heap-buffer-overflow", "ubsan signed integer overflow": a cause for a bucket. Empty for a
/// text that is no report.
std::string report_cause(std::string_view report);
/// The line of the report that says what happened and where, without folders.
std::string report_sentence(std::string_view report);
/// Does it say that memory ran out?
bool is_out_of_memory(std::string_view report);

}  // namespace ulpfuzz::process
