#pragma once

#include "explain_evidence.hpp"

namespace ulpfuzz::tool {

/// Which rows of how many results are asked for, and where that is written.
struct Rows {
  std::vector<std::uint32_t> selected;
  std::size_t all = 0;
  std::string source;  ///< the file or option that says so
};

/// Rows as people write them: "0-4,7", cut short where there are many runs.
std::string row_list(const std::vector<std::uint32_t>& rows);
/// Throws FileError for a row that is named twice: it would count twice.
void check_distinct(const Rows& rows);

/// What a row of the results is.
struct Layout {
  std::size_t outputs = 0;
  std::vector<std::size_t> parts;  ///< elements of each parameter or input; empty: outputs
  std::size_t width() const;       ///< numbers a row
};

/// Numbers of one result [selected rows, width], from one file, or for a Jacobian from one a part.
/// T as for read_npy. Throws FileError.
template <class T>
std::vector<T> read_results(const std::vector<std::filesystem::path>& files, const Rows& rows,
                            const Layout& layout);

/// Rows and columns of an array whose rows should have `width` numbers; nothing if that cannot be.
struct Table {
  std::size_t rows = 0, cols = 0;
};
Table table_of(const std::vector<std::size_t>& shape, std::size_t width);

}  // namespace ulpfuzz::tool
