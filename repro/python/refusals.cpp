#include "refusals.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../numbers.hpp"

namespace ulpfuzz::repro {
namespace {

std::string_view unseen(Check check) {
  switch (check) {
    case Check::unwritten:
      return "whether an output was written";
    case Check::red_zone:
      return "what was written behind an output";
    case Check::environment:
      return "the floating-point environment after a call";
    case Check::returns:
      return "a call that throws, crashes or hangs";
    default:
      return {};
  }
}

}  // namespace

void refuse_op(Op op, std::string_view library) {
  throw std::invalid_argument(
      fmt::format("op {}: {} has none; a network of forward ops would fit", name(op), library));
}

void check_python_can_show(const Scene& scene) {
  if (const std::string_view what = unseen(scene.check); !what.empty()) {
    throw std::invalid_argument(fmt::format("Python does not show {}; --lang cpp would fit", what));
  }
  std::vector<Pattern> patterns;
  for (const Tensor& t : scene.value.parameters) patterns.push_back(pattern_of(t.data, t.cols));
  for (const Tensor& t : scene.value.inputs) patterns.push_back(pattern_of(t.data, t.cols));
  check_size(patterns);
}

}  // namespace ulpfuzz::repro
