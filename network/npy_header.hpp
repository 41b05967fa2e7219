#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz {

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};
inline constexpr std::string_view npy_remedy =
    "save it with numpy.save(FILE, a.astype(numpy.float32))";

struct NpyHeader {
  std::string dtype;  ///< NumPy's type string: "<f4"
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t count = 0;  ///< elements
  std::size_t begin = 0;  ///< where the data are
};

/// The header of a .npy file: a dictionary as Python writes it. Throws FileError.
NpyHeader read_npy_header(std::string_view bytes, const std::string& name);

/// "int64", "big-endian float32": a type string in NumPy's words.
std::string dtype_in_words(const std::string& dtype);

}  // namespace ulpfuzz
