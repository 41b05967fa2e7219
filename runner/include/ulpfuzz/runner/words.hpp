#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ulpfuzz {

/// 1234567 -> "1,234,567"
std::string with_commas(std::uint64_t n);
/// 1:02:03, 0:42
std::string clock_text(double seconds);
/// Subjects that cannot run, by kind and reason, a line each: "cuda/* (12 subjects): no CUDA
/// device", "openblas: ...". `why`: the reason by subject.
std::vector<std::string> unavailable_lines(const std::map<std::string, std::string>& why);

}  // namespace ulpfuzz
