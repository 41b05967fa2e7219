#pragma once

#include <optional>
#include <string>

#include "../scene.hpp"
#include "arrays.hpp"
#include "layout.hpp"
#include "text.hpp"

namespace ulpfuzz::repro {

/// What the programs of all Python libraries have in common.
struct PythonProgram {
  const Failure& failure;
  Scene scene;
  PythonLayout layout;
  std::string file;

  PythonProgram(const Failure& f, const std::string& file_name);

  const Case& value() const { return scene.value; }
  const Network& network() const { return scene.value.network; }
  /// The command, then what the program shows, as comments.
  Lines header() const;
  /// header(), then `imports`, then `rest`; "h = float.fromhex" between them where it is used.
  std::string put_together(const Lines& imports, const Lines& rest) const;
  /// Arrays of the parameters that `f` reads, the inputs, and the cotangents `v` where a path takes
  /// them. `cotangents`: with an axis of size 1, for cotangents, behind the batch's, and two for
  /// the value.
  Lines data(Arrays arrays, bool cotangents = false) const;
  /// Names of all that data() makes.
  std::vector<std::string> data_names() const;
  bool takes_cotangents() const;
  /// "batch of 12", "the exact result"
  static std::string words(const Path& path);

  /// Compares the values of the expressions, prints, and ends with the verdict. b: empty where the
  /// other side is the reference; then its value takes the place.
  Lines verdict(const std::string& a, const std::string& b) const;

  /// "1, 0" of [batch row `position`, output column] as the library holds outputs.
  std::string output_index(std::size_t position, std::size_t column) const;
  /// The index, in what holds them, of the output column and of the element in question.
  std::string column_index() const;
  std::string element_index() const;
  bool wrt_input() const { return scene.wrt < value().inputs.size(); }
  /// The name of what the gradient is with respect to.
  const std::string& wrt_name() const;
  /// "x0, x1" indexed by `rows` each: "x0[[3]], x1[[3]]".
  std::string inputs_at(const std::string& index) const;
  std::string inputs() const;
};

void append(Lines& to, const Lines& more);
std::string join_lines(const Lines& lines);

}  // namespace ulpfuzz::repro
