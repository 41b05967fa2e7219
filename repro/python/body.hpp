#pragma once

#include <set>
#include <string>
#include <vector>

#include "layout.hpp"
#include "text.hpp"

namespace ulpfuzz::repro {

/// One op of a network to be spelled: its operands as expressions.
struct Spelling {
  const Network& network;
  const PythonLayout& layout;
  const Node& node;
  std::vector<std::string> args;
  std::set<std::string>& helpers;       ///< functions that the program has to define
  const std::set<std::string>& models;  ///< functions that have to be called by name

  const Node& operand(std::size_t i) const { return network.node(node.args[i]); }
  /// The operand in parentheses, unless it is a name or a call.
  std::string factor(std::size_t i) const;
  bool modelled(const std::string& function) const { return models.count(function) != 0; }
  /// Notes that `name` is needed; "name(args)".
  std::string helper(const std::string& name, const std::string& more = "") const;
};

/// How a library says an op.
using Speller = std::string (*)(const Spelling&);

/// The body of a function that computes node `result`: a statement for each value that is used
/// twice or would make a line too long, then "return ...", indented by four. Throws
/// std::invalid_argument where the speller has no words for an op.
Lines python_body(const Network& network, const PythonLayout& layout, NodeId result, Speller spell,
                  std::set<std::string>& helpers, const std::set<std::string>& models = {});

/// "0.01": the shortest decimal that names the same float.
std::string python_alpha(float alpha);

}  // namespace ulpfuzz::repro
