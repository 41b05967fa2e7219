#include <fmt/format.h>

#include "dissect_parts.hpp"
#include "dissect_surgery.hpp"

namespace ulpfuzz::shrinking {

std::string label(const Network& network, NodeId id) {
  return fmt::format("{} {}", name(network.node(id).op), id);
}

std::vector<LayerShare> layer_shares(Asker& asker) {
  std::vector<LayerShare> result;
  const Case& c = asker.failing().value;
  const NodeId last = c.network.outputs().front();
  for (NodeId id = 0; id <= last; ++id) {
    const Node& node = c.network.node(id);
    if (node.op == Op::input || node.op == Op::parameter) continue;
    if (id == last) {
      const Verdict& v = asker.failing().verdict;
      result.push_back({label(c.network, id), v.outcome, v.share});
      continue;
    }
    const auto cut = cut_after(c, id);
    if (!cut || asker.spent()) continue;
    const Verdict v = asker.ask(*cut);
    result.push_back({label(c.network, id), v.outcome, v.share});
  }
  return result;
}

}  // namespace ulpfuzz::shrinking
