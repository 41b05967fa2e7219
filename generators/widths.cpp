#include "widths.hpp"

#include <algorithm>

namespace ulpfuzz::generators {
namespace {

/// Masks of the cuts; nothing where the draft does not allow them.
bool cut(const Draft& draft, const std::vector<Widths::Cut>& cuts, Draft::Masks& masks) {
  std::uint32_t empty = Draft::none;
  masks = draft.no_masks();
  for (const auto& [id, size, first, last, stay] : cuts) {
    masks[id].assign(size, stay ? 0 : 1);
    std::fill(masks[id].begin() + first, masks[id].begin() + last, std::uint8_t{stay});
    if (stay && first == last) empty = id;
  }
  return draft.close(masks, empty);
}

}  // namespace

Widths::Widths(const Case& c, Edits& edits)
    : c_(c), edits_(edits), left_(affordable(c.network.nodes().size())) {
  Draft draft(c.network);
  draft.settle();
  linked_ = draft.linked();
  classes_ = draft.classes();
  inner_.resize(2 * c.network.nodes().size());
  for (const Node& node : c.network.nodes()) {
    if (node.op == Op::linear) inner_[draft.column_class(node.args[0])] = true;
    if (node.op != Op::matmul) continue;
    inner_[node.transpose_a ? draft.row_class(node.args[0]) : draft.column_class(node.args[0])] =
        true;
  }
  draft_ = std::make_shared<const Draft>(std::move(draft));
}

bool Widths::is_output(const Draft::Class& d) const {
  const NodeId id = c_.network.outputs().front();
  return d.id == draft_->column_class(id) || d.id == draft_->row_class(id);
}

// Not the rows of weights that have it as columns too: one that is a bias as well must keep its
// row.
bool Widths::may_be_empty(const Draft::Class& d) const {
  const auto& nodes = draft_->nodes();
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const bool row = draft_->row_class(id) == d.id, column = draft_->column_class(id) == d.id;
    if (nodes[id].op == Op::parameter && row && column) return false;
  }
  return !d.rows;
}

void Widths::offer(std::string name, std::vector<Cut> cuts, After after) {
  if (linked_) {
    Draft::Masks masks;
    if (left_ == 0 || !cut(*draft_, cuts, masks)) return;
    --left_;
  }
  edits_.push_back({std::move(name),
                    [&c = c_, draft = draft_, cuts = std::move(cuts), after = std::move(after)] {
                      Draft::Masks masks;
                      cut(*draft, cuts, masks);
                      Case result = draft->apply(c, masks);
                      if (after) after(result, c);
                      return result;
                    }});
}

}  // namespace ulpfuzz::generators
