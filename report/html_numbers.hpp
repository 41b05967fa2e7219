#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Numbers as people read them.
namespace ulpfuzz::report::page {

std::string short_count(std::uint64_t n);  ///< "1.2M": for narrow cells
std::string duration(double seconds);      ///< "7 s", "12 min 5 s", "8 h 2 min"
/// "0", "0.042", "19.1", "8.6e+05"; "∞" for what is not finite, or the largest double, which stands
/// for that in files.
std::string share(double value);
bool endless(double share);
/// How dark a cell of a heat map is: 0 for no share or below 2^-12, one more each 2 octaves, 7 for
/// what is beyond the bound.
int heat(double share);

/// A number as SVG has it: at most one decimal.
std::string pixels(double value);

}  // namespace ulpfuzz::report::page
