#pragma once

#include <set>
#include <string>

#include "body.hpp"
#include "program.hpp"

namespace ulpfuzz::repro {

/// The statements of a program that compute what its paths give, and compare it; how a library says
/// so is virtual. Each ..._value() appends statements and returns the compared element as an
/// expression.
class PythonPaths {
 public:
  PythonPaths(const PythonPaths&) = delete;
  PythonPaths& operator=(const PythonPaths&) = delete;
  virtual ~PythonPaths() = default;

 protected:
  /// Throws std::invalid_argument as program() does.
  PythonPaths(const Failure& failure, const std::string& file) : p_(failure, file) {}

  /// What a library that differentiates by itself has of its own.
  struct Library {
    Arrays arrays;
    std::string one, several;  ///< moves an array there: "{} = asarray({})"; moves many
    Speller spell;
    Lines (*helpers)(const std::set<std::string>&);
  };
  /// `settings`, the data in the library's arrays, the forward network as f, then paths().
  Lines statements(Lines settings, const Library& library);

  /// Both paths, or one of them many times; ends with the verdict.
  Lines paths();

  /// Of the arithmetic that the failure was judged by, or of who claims it.
  std::string arithmetic_name() const;
  bool by_parameter() const { return p_.scene.gradient && !p_.wrt_input(); }
  /// What f takes: inputs, and the parameter that a gradient is asked of.
  std::string arguments() const;
  /// What jacrev and jacfwd are told beside f: ", argnums=1".
  std::string argnums() const;
  /// What vmap is told beside a function of arguments(): ", in_axes=(0, None)".
  std::string axes(const std::string& option) const;
  /// The inputs with rows of zeros behind some of theirs, by NumPy's pad or one like it.
  std::string padded(const std::string& rows, std::uint32_t padding, const char* pad) const;

  virtual std::string element(const std::string& array, const std::string& index) const {
    return "float(" + array + "[" + index + "])";
  }
  virtual std::string slice_inputs(const Call& call) const = 0;
  /// The whole result of a call of the forward network.
  virtual std::string forward_call(const Call&, const std::string& inputs) {
    return "f(" + inputs + ")";
  }
  /// One output of one row.
  virtual std::string loop_value(const Path& path, Lines& lines) = 0;
  /// All outputs of all rows at once.
  virtual std::string vectorized_value(const Path& path, Lines& lines) = 0;
  /// Batch-summed gradients.
  virtual std::string summed_value(const Path& path, Lines& lines) = 0;

  PythonProgram p_;

 private:
  std::string forward_value(const Path& path, Lines& lines);
  std::string value(const Path& path, Lines& lines);
  Lines repeated();
  std::string moved(const Library& library) const;
};

}  // namespace ulpfuzz::repro
