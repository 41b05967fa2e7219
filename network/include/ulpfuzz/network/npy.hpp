#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz {

/// An array as numpy.save keeps it; row-major here, whatever the order in the file.
template <class T>
struct NpyArray {
  std::vector<std::size_t> shape;  ///< empty: a single number
  std::vector<T> data;
};

/// "(10, 2)", "(10,)", "()": a shape as NumPy prints it.
std::string npy_shape(std::span<const std::size_t> shape);

/// Reads a .npy file of version 1.0, 2.0 or 3.0, little-endian, C or Fortran order. T is float, for
/// float32 alone, or double, for float64 and float32. Throws FileError, naming `name` and how to
/// mend the file, for any other dtype and for what is no .npy file, cut short or followed by other
/// bytes; takes no memory that the bytes do not pay for.
template <class T>
NpyArray<T> npy_from_bytes(std::string_view bytes, const std::string& name);
template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path);

/// Version 1.0, float32, C order, as numpy.save writes it. Throws std::invalid_argument unless
/// there are as many numbers as the shape says.
std::string to_npy(std::span<const std::size_t> shape, std::span<const float> data);
/// Replaces the file atomically. Throws FileError.
void write_npy(const std::filesystem::path& path, std::span<const std::size_t> shape,
               std::span<const float> data);

}  // namespace ulpfuzz
