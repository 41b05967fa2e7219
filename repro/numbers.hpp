#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"

namespace ulpfuzz::repro {

/// "0x1.8p+0": the same in C++, C and, in quotes after float.fromhex, in Python. NaN and infinities
/// are "nan", "inf" and "-inf".
std::string hex(double x);

/// Is x a small integer or multiple of 1/8: a number whose exact decimal spelling, of at most six
/// digits, is no longer than the hexadecimal one?
bool is_plain(double x);
/// The decimal spelling of a plain number: "3", "-0.375"; "-0" keeps its sign.
std::string decimal(double x);

/// Literals of C++: "3", "-0.375", "0x1.99999ap-4", "NAN", "-INFINITY"; those of type float end in
/// f.
std::string cpp_float(float x);
std::string cpp_double(double x);
/// An element of a braced list of floats: no f, because lists convert what they are given.
std::string cpp_element(float x);
/// Expressions of Python: "3.0", "float.fromhex('0x1.99999ap-4')", "float('nan')".
std::string python_float(double x);

/// Values that repeat: element i is base[i mod base.size()], but for the exceptions (index, value),
/// in order. `base` is all values, one row, or one number.
struct Pattern {
  std::size_t size = 0;
  std::vector<float> base;
  std::vector<std::pair<std::size_t, float>> exceptions;

  bool plain() const { return base.size() == size; }
  std::size_t numbers() const { return base.size() + exceptions.size(); }
};
/// The shortest of the three, all values where they are few. Rows of `cols` elements.
Pattern pattern_of(const std::vector<float>& values, std::size_t cols);

/// Most numbers that a program may hold.
inline constexpr std::size_t most_numbers = 4096;

/// Throws std::invalid_argument, saying what would fit, for a case of more numbers than that.
void check_size(const std::vector<Pattern>& patterns);

}  // namespace ulpfuzz::repro
