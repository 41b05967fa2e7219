#include "reachable.hpp"

namespace ulpfuzz {

std::vector<bool> reachable(const Network& network) {
  std::vector<bool> seen(network.nodes().size(), false);
  for (const NodeId id : network.outputs()) seen[id] = true;
  for (std::size_t id = seen.size(); id-- > 0;) {
    if (!seen[id]) continue;
    for (const NodeId arg : network.nodes()[id].operands()) seen[arg] = true;
  }
  return seen;
}

Network kept(const Network& network, const std::vector<bool>& keep) {
  Network result;
  result.set_repeat(network.repeat());
  result.reserve(keep.size());
  std::vector<NodeId> renamed(keep.size());
  for (std::size_t id = 0; id < keep.size(); ++id) {
    if (!keep[id]) continue;
    Node node = network.nodes()[id];
    for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = renamed[node.args[i]];
    renamed[id] = result.append(node);
  }
  for (const NodeId id : network.outputs()) result.output(renamed[id]);
  return result;
}

Network without_dead_nodes(const Network& network) {
  std::vector<bool> keep = reachable(network);
  for (const NodeId id : network.inputs()) keep[id] = true;
  for (const NodeId id : network.parameters()) keep[id] = true;
  return kept(network, keep);
}

}  // namespace ulpfuzz
