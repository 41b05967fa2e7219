#pragma once

#include <set>
#include <string>
#include <string_view>

#include "spellers.hpp"

namespace ulpfuzz::repro {

/// Functions in which a subject under test is wrong, in a few lines of NumPy each: they stand in
/// place of the right ones. Nothing where the subject has no model.
struct NumpyModel {
  std::string_view subject;
  std::string_view words;  ///< what is wrong, for a comment
  std::vector<Helper>
      functions;  ///< "linear", "relu", "d_relu", "outer_sum", ... as a program calls them
  std::string_view result;  ///< function that the result of a call goes through, if any
};
const NumpyModel* numpy_model(std::string_view subject);

/// Definitions of the functions asked for and of those that they call; of `model` where it has one.
Lines numpy_definitions(std::set<std::string> names, const NumpyModel* model);

}  // namespace ulpfuzz::repro
