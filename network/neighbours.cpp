#include "neighbours.hpp"

#include <fmt/format.h>

#include "network_reader.hpp"
#include "text_reader.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;

fs::path Neighbours::path(const JsonView& place, const std::string& name,
                          std::string_view example) const {
  const fs::path path(name);
  bool inside = !path.empty() && !path.has_root_path() && name.find('\0') == std::string::npos;
  for (const auto& part : path) inside = inside && part != "..";
  if (!inside)
    place.refuse("not the name of a file beside this one", fmt::format("write {}", example));
  return folder_ / path;
}

Tensor Neighbours::tensor(const JsonView& place, const std::string& name) {
  const fs::path file = path(place, name, "\"NAME.npy\"");
  std::error_code ignored;
  if (const auto size = fs::file_size(file, ignored); !ignored) {
    if (size > room_)
      place.refuse(
          fmt::format("with {} more than {} bytes of .npy files", name, limits::file_bytes),
          "use smaller layers");
    room_ -= size;
  }
  try {
    NpyArray<float> array = read_npy<float>(file);
    auto& shape = array.shape;
    if (shape.size() > 2)
      refuse(file.string(), "shape", fmt::format("{} has {} axes", npy_shape(shape), shape.size()),
             "save a matrix, or a vector");
    while (shape.size() < 2) shape.insert(shape.begin(), 1);
    for (const std::size_t length : shape)
      if (length > limits::dimension)
        refuse(file.string(), "shape",
               fmt::format("{} has an axis above {}", npy_shape(shape), limits::dimension),
               "use smaller layers");
    const auto rows = static_cast<std::uint32_t>(shape[0]),
               cols = static_cast<std::uint32_t>(shape[1]);
    check_dimensions(rows, cols, complain_at(place));
    return {rows, cols, std::move(array.data)};
  } catch (const FileError& error) {
    place.pass_on(error.what());
  }
}

}  // namespace ulpfuzz
