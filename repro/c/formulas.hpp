#pragma once

#include <functional>
#include <string>
#include <vector>

#include "code.hpp"

namespace ulpfuzz::repro {

/// An activation or its derivative as C++ expressions of a float x: f = first(first_argument), g =
/// second(second_argument), then `lets`, then `value`. Empty names: no such function.
struct Formula {
  std::string first, first_argument;
  std::string second, second_argument;
  std::vector<std::string> lets;
  std::string value;
};
Formula formula_of(const KernelId& id);

/// "relu", "tanh_", "gelu_erf_derivative": fit to stand beside <cmath>.
std::string function_name(const KernelId& id);

/// The shortest decimal spelling that is this float: "0.01f", "1e-05f".
std::string short_float(float x);

/// Lines of `float name(float x)`, by functions of libm.
std::vector<std::string> body_of(const Formula& formula);

/// Lines of a function of arrays x and y of `count` floats whose functions are evaluated a whole
/// array at a time: call(array, function) is the line that does so, in place.
std::vector<std::string> array_lines(
    const Formula& formula,
    const std::function<std::string(const std::string&, const std::string&)>& call);

/// Whole words of `text` replaced.
std::string with_word(std::string text, const std::string& word, const std::string& by);

}  // namespace ulpfuzz::repro
