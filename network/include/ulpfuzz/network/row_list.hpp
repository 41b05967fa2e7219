#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ulpfuzz {

/// Rows of a batch of `batch` rows as people write them, in the order written: "0-4,7,9". Nothing
/// for "". Throws std::invalid_argument, saying what would fit, for what is no list, for rows
/// beyond the batch, and for more than `most` rows.
std::vector<std::uint32_t> parse_rows(std::string_view text, std::size_t batch, std::size_t most);

}  // namespace ulpfuzz
