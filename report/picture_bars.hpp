#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::report::page {

struct BarPlace {
  double x = 0, y = 0, width = 0;
};

struct Bars {
  std::string svg;
  double bottom = 0;
};

/// The batch as a bar of rows, and below it the slices that it is cut into, each as long as it has
/// rows; padding rows are hatched. `row` of the batch is marked.
Bars bars(const Case& c, const BarPlace& place, std::optional<std::uint32_t> row);

}  // namespace ulpfuzz::report::page
