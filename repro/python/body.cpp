#include "body.hpp"

#include <fmt/format.h>

#include <cctype>

namespace ulpfuzz::repro {
namespace {

constexpr std::size_t longest_expression = 84;

/// Nodes that `result` depends on, and how often each is an operand.
std::vector<unsigned> uses(const Network& network, NodeId result) {
  std::vector<unsigned> count(network.nodes().size());
  count[result] = 1;
  for (NodeId id = result + 1; id-- > 0;) {
    if (count[id] == 0) continue;
    for (const NodeId arg : network.node(id).operands()) ++count[arg];
  }
  return count;
}

/// A name, a number, a call or an indexed one: binds tighter than any operator.
bool is_primary(const std::string& text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (depth == 0 && !word && c != ')' && c != ']') return false;
  }
  return true;
}

}  // namespace

std::string Spelling::factor(std::size_t i) const {
  return is_primary(args[i]) ? args[i] : "(" + args[i] + ")";
}

std::string Spelling::helper(const std::string& name, const std::string& more) const {
  helpers.insert(name);
  return fmt::format("{}({}{})", name, joined(args), more.empty() ? "" : ", " + more);
}

namespace {

class Body {
 public:
  Body(const Network& network, const PythonLayout& layout, Speller spell,
       std::set<std::string>& helpers, const std::set<std::string>& models)
      : network_(network),
        layout_(layout),
        spell_(spell),
        helpers_(helpers),
        models_(models),
        text_(network.nodes().size()) {}

  Lines run(NodeId result) {
    const std::vector<unsigned> used = uses(network_, result);
    for (NodeId id = 0; id <= result; ++id) {
      if (used[id] == 0) continue;
      text_[id] = leaf_or_call(id);
      if (id != result && used[id] > 1 && !is_leaf(id)) give_name(id);
    }
    lines_.push_back("    return " + text_[result]);
    return std::move(lines_);
  }

 private:
  bool is_leaf(NodeId id) const {
    const Op op = network_.node(id).op;
    return op == Op::input || op == Op::parameter;
  }

  void give_name(NodeId id) {
    const std::string name = fmt::format("z{}", ++names_);
    lines_.push_back(fmt::format("    {} = {}", name, text_[id]));
    text_[id] = name;
  }

  std::string leaf_or_call(NodeId id) {
    const Node& node = network_.node(id);
    if (node.op == Op::input) return layout_.inputs[node.index];
    if (node.op == Op::parameter) return layout_.parameters[node.index];
    std::string text = call(node);
    while (text.size() > longest_expression && name_longest(node)) text = call(node);
    return text;
  }

  std::string call(const Node& node) {
    Spelling spelling{network_, layout_, node, {}, helpers_, models_};
    for (const NodeId arg : node.operands()) spelling.args.push_back(text_[arg]);
    return spell_(spelling);
  }

  /// Of the operands that are expressions; whether there is one.
  bool name_longest(const Node& node) {
    const NodeId* longest = nullptr;
    for (const NodeId& arg : node.operands())
      if (text_[arg].find('(') != std::string::npos &&
          (longest == nullptr || text_[arg].size() > text_[*longest].size()))
        longest = &arg;
    if (longest != nullptr) give_name(*longest);
    return longest != nullptr;
  }

  const Network& network_;
  const PythonLayout& layout_;
  Speller spell_;
  std::set<std::string>& helpers_;
  const std::set<std::string>& models_;
  std::vector<std::string> text_;
  Lines lines_;
  std::size_t names_ = 0;
};

}  // namespace

Lines python_body(const Network& network, const PythonLayout& layout, NodeId result, Speller spell,
                  std::set<std::string>& helpers, const std::set<std::string>& models) {
  return Body(network, layout, spell, helpers, models).run(result);
}

std::string python_alpha(float alpha) { return fmt::format("{}", alpha); }

}  // namespace ulpfuzz::repro
