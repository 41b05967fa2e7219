#pragma once

#include <filesystem>
#include <string>

#include "file_error.hpp"
#include "json_view.hpp"
#include "ulpfuzz/core/tensor.hpp"

namespace ulpfuzz {

/// The files that a text file may name: those beside it or below, so that a folder can be moved,
/// and a file from elsewhere cannot name those of whoever reads it. What cannot be read is refused
/// at the place that names it.
class Neighbours {
 public:
  explicit Neighbours(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `example` is what a right name looks like.
  std::filesystem::path path(const JsonView& place, const std::string& name,
                             std::string_view example) const;

  /// A .npy array of two axes, of one (1 x n) or of none. All of them together may be as large as
  /// one file: naming a file once more costs a text next to nothing.
  Tensor tensor(const JsonView& place, const std::string& name);

 private:
  std::filesystem::path folder_;
  std::size_t room_ = limits::file_bytes;
};

}  // namespace ulpfuzz
