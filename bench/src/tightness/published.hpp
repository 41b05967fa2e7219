#pragma once

#include "tightness/tables.hpp"

namespace ulpfuzz::bench {

/// Ratios of bound to worst observed error that a study of the same bounds measured on emulated
/// arithmetic, by column and width (docs/bounds.md, "How tight"). {0, 0} where it has no such cell.
Published published_dot(const std::string& column, std::size_t width);
Published published_network(const std::string& column, std::size_t width);
Published published_jacobian(const std::string& column, std::size_t width);
Published nothing_published(const std::string& column, std::size_t width);

}  // namespace ulpfuzz::bench
