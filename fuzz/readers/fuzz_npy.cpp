// An array that is read has as many numbers as its shape says, comes back from what is written of
// it, and reads the same as float64.
#include <bit>
#include <cmath>
#include <optional>

#include "reader.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz::fuzz {
namespace {

template <class T>
std::optional<NpyArray<T>> read(std::string_view bytes) {
  try {
    return npy_from_bytes<T>(bytes, "input");
  } catch (const FileError&) {
    return std::nullopt;
  }
}

template <class T>
void check_count(const NpyArray<T>& array) {
  std::size_t count = 1;
  for (const std::size_t length : array.shape) count *= length;
  if (count != array.data.size()) fail("numbers and shape disagree");
}

void check_round_trip(const NpyArray<float>& array) {
  const auto again = read<float>(to_npy(array.shape, array.data));
  if (!again || again->shape != array.shape || again->data.size() != array.data.size())
    fail("what is written is not read");
  for (std::size_t i = 0; i < array.data.size(); ++i)
    if (std::bit_cast<std::uint32_t>(again->data[i]) != std::bit_cast<std::uint32_t>(array.data[i]))
      fail("writing loses");
}

// Conversion may make a NaN quiet.
void check_wide(const NpyArray<float>& array, const std::optional<NpyArray<double>>& wide) {
  if (!wide || wide->shape != array.shape || wide->data.size() != array.data.size())
    fail("float32 is not read as float64");
  for (std::size_t i = 0; i < array.data.size(); ++i) {
    const double x = array.data[i], y = wide->data[i];
    if (std::isnan(x) ? !std::isnan(y)
                      : std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y))
      fail("float64 differs");
  }
}

}  // namespace
}  // namespace ulpfuzz::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ulpfuzz::fuzz;
  const std::string_view bytes = characters({data, size});
  const auto array = read<float>(bytes);
  const auto wide = read<double>(bytes);
  if (wide) check_count(*wide);
  if (!array) return 0;
  check_count(*array);
  check_round_trip(*array);
  check_wide(*array, wide);
  return 0;
}
