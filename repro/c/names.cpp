#include <fmt/format.h>

#include <algorithm>

#include "code.hpp"

namespace ulpfuzz::repro {

Names names_of(const Network& forward) {
  Names names;
  const std::size_t inputs = forward.inputs().size();
  for (std::size_t i = 0; i < inputs; ++i)
    names.inputs.push_back(inputs == 1 ? "x" : fmt::format("x{}", i));
  names.parameters.resize(forward.parameters().size());
  const auto is_linear = [](const Node& n) { return n.op == Op::linear; };
  const bool one = std::count_if(forward.nodes().begin(), forward.nodes().end(), is_linear) == 1;
  std::size_t layer = 0;
  const auto call = [&](NodeId id, const char* word) {
    const Node& n = forward.node(id);
    if (n.op == Op::parameter && names.parameters[n.index].empty())
      names.parameters[n.index] = one ? word : fmt::format("{}{}", word, layer);
  };
  for (const Node& n : forward.nodes()) {
    if (n.op != Op::linear) continue;
    ++layer;
    call(n.args[1], "w");
    if (n.arity == 3) call(n.args[2], "bias");
  }
  for (std::size_t i = 0; i < names.parameters.size(); ++i)
    if (names.parameters[i].empty()) names.parameters[i] = fmt::format("p{}", i);
  return names;
}

std::vector<std::size_t> parameters_read(const std::vector<Code>& codes, const Names& names) {
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < names.parameters.size(); ++i) {
    const auto reads = [&](const Code& code) {
      return code.output == names.parameters[i] ||
             std::any_of(code.statements.begin(), code.statements.end(), [&](const Statement& s) {
               return std::count(s.arrays.begin(), s.arrays.end(), names.parameters[i]) != 0;
             });
    };
    if (std::any_of(codes.begin(), codes.end(), reads)) read.push_back(i);
  }
  return read;
}

}  // namespace ulpfuzz::repro
