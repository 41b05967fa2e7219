#pragma once

#include <string>
#include <vector>

#include "../numbers.hpp"
#include "../scene.hpp"

namespace ulpfuzz::repro {

/// Which rows of a batch a call reads, as an expression of C++: "x", "Values(x.begin() + 6,
/// x.end())", "rows(x, 3, {2, 0})".
struct RowsText {
  std::string text;
  bool helper = false;  ///< needs the function rows()
};
RowsText rows_text(const std::string& name, const Tensor& input, const Call& call);

/// A braced list, "Values(9, 1.0f)", or a call of repeated() or changed(): an expression of C++ for
/// Values, wrapped at the right margin; rows of `cols` on lines of their own.
std::string values_text(const Pattern& pattern, std::size_t cols);

/// The functions that such expressions need.
std::vector<std::string> data_helpers(const std::vector<Pattern>& patterns, bool rows);

/// `words` in lines of at most 98 columns behind "// ", whatever characters they have.
std::string comment(const std::string& words);

}  // namespace ulpfuzz::repro
