#include "ulpfuzz/network/npy.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "file_error.hpp"
#include "file_read.hpp"
#include "npy_header.hpp"
#include "ulpfuzz/network/case_file.hpp"

// Ours, because xtensor's reader, the one that Debian has, takes a file that is cut short for a
// whole one, takes memory for whatever the header says, and knows neither version 3.0 nor keys in
// another order.
namespace ulpfuzz {
namespace {

template <class From, class To>
void append(std::string_view bytes, std::vector<To>& data) {
  data.reserve(bytes.size() / sizeof(From));
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(From))) {
    From x;
    std::memcpy(&x, bytes.data(), sizeof x);
    data.push_back(static_cast<To>(x));
  }
}

// From column-major to row-major: walks the elements in row-major order.
template <class T>
std::vector<T> reordered(const std::vector<T>& from, const std::vector<std::size_t>& shape) {
  std::vector<T> to;
  to.reserve(from.size());
  std::vector<std::size_t> stride(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t k = 1; k < shape.size(); ++k) stride[k] = stride[k - 1] * shape[k - 1];
  for (std::size_t at = 0; to.size() < from.size();) {
    to.push_back(from[at]);
    for (std::size_t k = shape.size(); k-- > 0;) {
      at += stride[k];
      if (++index[k] < shape[k]) break;
      at -= stride[k] * shape[k];
      index[k] = 0;
    }
  }
  return to;
}

void check_size(const NpyHeader& header, std::size_t size, std::size_t element,
                const std::string& name) {
  const std::size_t wanted = header.count * element;
  if (size == wanted) return;
  refuse(name, "data",
         fmt::format("{} bytes for shape {}, which needs {}: the file {}", size,
                     npy_shape(header.shape), wanted,
                     size < wanted ? "is cut short" : "holds more than one array"),
         size < wanted ? "save or copy it again" : "save one array a file");
}

}  // namespace

std::string npy_shape(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k)
    text.append(k > 0 ? ", " : "").append(std::to_string(shape[k]));
  return text.append(shape.size() == 1 ? ",)" : ")");
}

template <class T>
NpyArray<T> npy_from_bytes(std::string_view bytes, const std::string& name) {
  const NpyHeader header = read_npy_header(bytes, name);
  constexpr bool wide = sizeof(T) == sizeof(double);
  const bool is_double = header.dtype == "<f8";
  if (header.dtype != "<f4" && !(wide && is_double))
    refuse(name, "dtype",
           fmt::format("it is {}, not {}", dtype_in_words(header.dtype),
                       wide ? "float32 or float64" : "float32"),
           npy_remedy);
  const std::string_view data = bytes.substr(header.begin);
  check_size(header, data.size(), is_double ? sizeof(double) : sizeof(float), name);
  NpyArray<T> array{.shape = header.shape, .data = {}};
  if (is_double)
    append<double>(data, array.data);
  else
    append<float>(data, array.data);
  if (header.fortran_order && header.shape.size() > 1)
    array.data = reordered(array.data, header.shape);
  return array;
}

template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path) {
  return npy_from_bytes<T>(read_bytes(path, npy_remedy), path.string());
}

template NpyArray<float> npy_from_bytes(std::string_view, const std::string&);
template NpyArray<double> npy_from_bytes(std::string_view, const std::string&);
template NpyArray<float> read_npy(const std::filesystem::path&);
template NpyArray<double> read_npy(const std::filesystem::path&);

std::string to_npy(std::span<const std::size_t> shape, std::span<const float> data) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  if (count != data.size())
    throw std::invalid_argument(fmt::format("{} numbers for the shape {}; {} would fit",
                                            data.size(), npy_shape(shape), count));
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", npy_shape(shape));
  // Room for the first length to grow to 21 digits, as NumPy leaves it, then up to a multiple
  // of 64.
  if (!shape.empty()) header.append(21 - fmt::formatted_size("{}", shape[0]), ' ');
  const std::size_t prefix = npy_magic.size() + 4;
  header.append(64 - (prefix + header.size() + 1) % 64, ' ').push_back('\n');
  std::string bytes(npy_magic);
  bytes.append(
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)});
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size_bytes());
  return bytes;
}

void write_npy(const std::filesystem::path& path, std::span<const std::size_t> shape,
               std::span<const float> data) {
  write_file_atomically(path, to_npy(shape, data));
}

}  // namespace ulpfuzz
