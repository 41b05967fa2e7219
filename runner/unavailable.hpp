#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz {

/// "cuda" of "cuda/tiled": subjects of one kind share it. A name without '/' is its own.
std::string_view kind_of(std::string_view subject);

/// Subjects that cannot run, by kind and reason, a line each: "cuda/* (12 subjects): no CUDA
/// device", "openblas: ...". `why`: the reason by subject.
std::vector<std::string> unavailable_lines(const std::map<std::string, std::string>& why);

}  // namespace ulpfuzz
