#include <algorithm>
#include <charconv>

#include "picture.hpp"

namespace ulpfuzz::report::page {
namespace {

constexpr std::size_t ends = 3;  // ops kept at either end of a long network

bool is_drawn(const Node& node) { return node.op != Op::parameter; }

std::vector<NodeId> drawn_nodes(const Network& network) {
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (is_drawn(network.node(id))) nodes.push_back(id);
  return nodes;
}

/// Which of `nodes` are drawn by themselves: the ends, and those around place `at`.
std::vector<bool> kept(const std::vector<NodeId>& nodes, std::size_t at, std::size_t most) {
  std::vector<bool> keep(nodes.size(), nodes.size() <= most);
  if (nodes.size() <= most) return keep;
  for (std::size_t i = 0; i < ends; ++i) keep[i] = keep[nodes.size() - 1 - i] = true;
  const std::size_t window = most - 2 * ends;
  const std::size_t begin =
      std::clamp(at - std::min(at, window / 2), ends, nodes.size() - ends - window);
  for (std::size_t i = begin; i < begin + window; ++i) keep[i] = true;
  return keep;
}

/// The box that each node of the network is in; parameters are in none.
std::vector<std::size_t> fill_boxes(Sketch& result, const Network& network,
                                    const std::vector<NodeId>& nodes,
                                    const std::vector<bool>& keep) {
  std::vector<std::size_t> box_of(network.nodes().size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool joins = !keep[i] && i > 0 && !keep[i - 1];
    if (!joins) result.boxes.push_back({nodes[i], 0, 0, 0});
    if (!keep[i]) {
      ++result.boxes.back().left_out;
      ++result.left_out;
    }
    box_of[nodes[i]] = result.boxes.size() - 1;
  }
  return box_of;
}

void fill_arrows(Sketch& result, const Network& network, const std::vector<NodeId>& nodes,
                 const std::vector<std::size_t>& box_of) {
  for (const NodeId id : nodes)
    for (const NodeId operand : network.node(id).operands()) {
      const Arrow arrow{box_of[operand], box_of[id]};
      if (!is_drawn(network.node(operand)) || arrow.from == arrow.to) continue;
      if (std::find(result.arrows.begin(), result.arrows.end(), arrow) == result.arrows.end())
        result.arrows.push_back(arrow);
    }
}

void place(Sketch& result) {
  // Boxes are in order of evaluation: where an arrow begins is placed before where it ends.
  std::vector<std::size_t> lanes;
  for (std::size_t i = 0; i < result.boxes.size(); ++i) {
    Box& box = result.boxes[i];
    for (const Arrow& arrow : result.arrows)
      if (arrow.to == i) box.column = std::max(box.column, result.boxes[arrow.from].column + 1);
    if (lanes.size() <= box.column) lanes.resize(box.column + 1);
    box.lane = lanes[box.column]++;
  }
  result.columns = lanes.size();
}

std::optional<std::uint32_t> number_after(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at, end, value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::string_view line_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + words.size());
  return rest.substr(0, rest.find('\n'));
}

/// "  share by op: linear 2: 0.01, tanh 3: 7.5 (first to fail), ..." -> 3
std::optional<NodeId> first_to_fail(std::string_view account) {
  const std::size_t end = account.find(" (first to fail)");
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t colon = account.substr(0, end).rfind(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t space = account.substr(0, colon).rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return number_after(account, space + 1);
}

}  // namespace

Sketch sketch(const Network& network, std::optional<NodeId> marked, std::size_t most) {
  Sketch result;
  const std::vector<NodeId> nodes = drawn_nodes(network);
  std::size_t at = 0;
  if (marked)
    at = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), *marked) -
                                  nodes.begin());
  const auto box_of =
      fill_boxes(result, network, nodes, kept(nodes, at, std::max(most, 2 * ends + 1)));
  fill_arrows(result, network, nodes, box_of);
  place(result);
  return result;
}

std::optional<NodeId> first_to_differ(const Network& network, std::string_view first_op,
                                      std::string_view account) {
  const std::string_view parting = line_after(account, "the paths part at: ");
  const std::string_view word = parting.empty() ? first_op : parting;
  const auto is = [&](NodeId id) {
    return id < network.nodes().size() && is_drawn(network.node(id)) &&
           name(network.node(id).op) == word;
  };
  const auto failing = first_to_fail(account);
  if (failing && is(*failing)) return failing;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (is(id)) return id;
  return std::nullopt;
}

std::optional<std::uint32_t> worst_row(std::string_view account) {
  constexpr std::string_view words = "worst element output[row ";
  const std::size_t at = account.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  return number_after(account, at + words.size());
}

}  // namespace ulpfuzz::report::page
