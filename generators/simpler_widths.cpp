#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "draft.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

// Sizes at which kernels change: worth ending on.
constexpr std::array<std::uint32_t, 8> targets{1, 2, 3, 4, 8, 16, 32, 64};

class Widths {
 public:
  Widths(const Case& c, Edits& edits) : c_(c), edits_(edits) {
    Draft draft(c.network);
    draft.settle();
    draft_ = std::make_shared<const Draft>(std::move(draft));
  }

  const Draft& draft() const { return *draft_; }

  void offer(std::string name, Draft::Masks masks) {
    if (!draft_->close(masks)) return;
    edits_.push_back({std::move(name), [&c = c_, draft = draft_, masks = std::move(masks)] {
                        return draft->apply(c, masks);
                      }});
  }

  void keep(std::string name, const Draft::Class& d, std::uint32_t first, std::uint32_t last) {
    auto masks = draft_->no_masks();
    masks[d.id].assign(d.size, 0);
    std::fill(masks[d.id].begin() + first, masks[d.id].begin() + last, std::uint8_t{1});
    offer(std::move(name), std::move(masks));
  }

  void drop(std::string name, const Draft::Class& d, std::uint32_t first, std::uint32_t last) {
    auto masks = draft_->no_masks();
    masks[d.id].assign(d.size, 1);
    std::fill(masks[d.id].begin() + first, masks[d.id].begin() + last, std::uint8_t{0});
    offer(std::move(name), std::move(masks));
  }

 private:
  const Case& c_;
  Edits& edits_;
  std::shared_ptr<const Draft> draft_;
};

std::string where(const Network& net, const Draft::Class& d) {
  return fmt::format("{} of {} {}", d.rows ? "feature rows" : "columns", name(net.node(d.node).op),
                     d.node);
}

void all_at_once(Widths& widths, const std::vector<Draft::Class>& classes) {
  for (const std::uint32_t target : targets) {
    auto masks = widths.draft().no_masks();
    bool any = false;
    for (const Draft::Class& d : classes) {
      if (d.size <= target) continue;
      any = true;
      masks[d.id].assign(d.size, 0);
      std::fill_n(masks[d.id].begin(), target, std::uint8_t{1});
    }
    if (any) widths.offer(fmt::format("all widths to {}", target), std::move(masks));
  }
}

void keep_output(const Case& c, std::int64_t output, Widths& widths,
                 const std::vector<Draft::Class>& classes) {
  const NodeId id = c.network.outputs().front();
  const Shape shape = c.network.node(id).shape;
  if (output < 0 || static_cast<std::size_t>(output) >= shape.size()) return;
  const auto flat = static_cast<std::uint32_t>(output);
  for (const Draft::Class& d : classes) {
    if (d.id == widths.draft().column_class(id) && shape.cols > 1) {
      widths.keep(fmt::format("only output column {}", flat % shape.cols), d, flat % shape.cols,
                  flat % shape.cols + 1);
    } else if (d.id == widths.draft().row_class(id) && shape.rows > 1) {
      widths.keep(fmt::format("only output row {}", flat / shape.cols), d, flat / shape.cols,
                  flat / shape.cols + 1);
    }
  }
}

}  // namespace

void simpler_widths(const Case& c, const Focus& focus, Edits& edits) {
  const auto derived = [](const Node& n) { return n.op >= Op::derivative; };
  if (std::ranges::any_of(c.network.nodes(), derived)) return;
  Widths widths(c, edits);
  const auto classes = widths.draft().classes();
  keep_output(c, focus.output, widths, classes);
  all_at_once(widths, classes);
  for (const Draft::Class& d : classes) {
    const std::string place = where(c.network, d);
    for (const std::uint32_t target : targets) {
      if (target < d.size) widths.keep(fmt::format("keep {} {}", target, place), d, 0, target);
    }
    chunks(d.size, 16, [&](std::uint32_t first, std::uint32_t last) {
      widths.drop(fmt::format("drop {}..{} of the {} {}", first, last - 1, d.size, place), d, first,
                  last);
    });
  }
}

}  // namespace ulpfuzz::generators
