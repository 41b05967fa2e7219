#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ulpfuzz::shrinking {

/// A batch as it came out: which rows are wrong, and whose result each of these got instead.
struct RowFault {
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::vector<bool> wrong;             ///< by row
  std::vector<std::uint32_t> instead;  ///< by row: whose; `unknown`: nobody's, or several rows'
  std::uint32_t batch() const { return static_cast<std::uint32_t>(wrong.size()); }
};

/// The rule in words that holds in all of the batches: "row b gets the result of row b mod 16",
/// "row b gets the result of row b - 1: the last row"; nothing if there is none.
std::optional<std::string> row_rule(const std::vector<RowFault>& seen);

/// Which rows are wrong: "rows from 15 on", "the last row", "every row", "rows 2, 5, 7".
std::string wrong_rows(const std::vector<RowFault>& seen);

}  // namespace ulpfuzz::shrinking
