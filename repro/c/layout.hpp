#pragma once

#include <map>
#include <string>
#include <vector>

#include "code.hpp"
#include "data.hpp"
#include "dialect.hpp"

namespace ulpfuzz::repro {

/// A call of one of the program's functions.
struct CallText {
  std::size_t code = 0;
  std::vector<std::string> arguments;  ///< expressions, then the batch where it is asked for
  const Call* call = nullptr;
};

/// All that a program of C++ or CUDA is made of, before it is written down.
struct Layout {
  Names names;
  std::vector<Code> codes;
  std::vector<CallText> a, b;
  std::vector<std::pair<KernelId, Kernel>> kernels;       ///< in order of need
  std::vector<std::pair<std::string, std::string>> data;  ///< name, expression
  std::vector<std::string> shapes;                        ///< of the data: "[2,3]"
  std::vector<std::string> helpers;                       ///< texts of functions for the data
  bool shifts = false;  ///< buffers begin at offsets from 64-byte boundaries

  const Kernel& kernel(const KernelId& id) const;
};

/// For a device, where every kernel is told how many elements it has, or a host. Throws
/// std::invalid_argument where there are too many numbers.
Layout layout_of(const Scene& scene, const Dialect& dialect, bool device);

/// A line of code broken at ", " where it is longer than the margin.
std::string wrapped(const std::string& line, std::size_t indent);

}  // namespace ulpfuzz::repro
