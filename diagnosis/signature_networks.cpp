#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "signature_altered.hpp"
#include "signature_inquiry.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Units of a row whose masks are flipped, one at a time, those nearest to 0 first.
constexpr std::size_t most_units = 512;

std::vector<const float*> inputs_of(const Inquiry& q, std::size_t row) {
  return row_inputs(q.evidence().network, q.evidence().inputs, row);
}

/// A network that computes what the fault would, with its own masks.
struct Model {
  Altered altered;
  RowJudge judge;
  KinkJudge kinks;

  Model(Altered a, Quantity quantity)
      : altered(std::move(a)),
        judge(altered.network, altered.parameters, quantity, false, altered.backward),
        kinks(altered.network, altered.parameters, analysis_options(altered.network)) {}

  const RowBounds& run(std::span<const float* const> inputs, Quantity quantity) {
    if (quantity == Quantity::outputs) return judge.run(inputs, nullptr);
    const RowKinks k = kinks.judge(inputs);
    return judge.run(inputs, &k.slopes);
  }
};

void try_network(Inquiry& q, Altered altered) {
  const Quantity quantity = q.evidence().quantity;
  const auto model = std::make_shared<Model>(std::move(altered), quantity);
  q.test_rows(
      model->altered.name, model->altered.detail, Reach::everything,
      [&q, model, quantity](std::size_t row) { return &model->run(inputs_of(q, row), quantity); });
}

/// The gradient of a square weight, rows and columns swapped.
void try_transposed_gradient(Inquiry& q) {
  const Layout& layout = q.layout();
  q.test("transposed weight", "gradient", Reach::blocks,
         [&q, &layout](std::size_t i) -> std::optional<Predicted> {
           const std::size_t element = i % layout.elements;
           const Layout::Block& block = layout.block_of(element);
           if (block.shape.rows != block.shape.cols) return std::nullopt;
           const std::size_t at = element - block.first;
           const std::size_t other =
               at % block.shape.cols * block.shape.cols + at / block.shape.cols;
           const std::size_t j = i - at + other;
           if (!q.baseline().usable[j]) return std::nullopt;
           return q.expected(j);
         });
}

/// Masks as another pass would have them. Shared by the predictions that it makes.
class Masks : public std::enable_shared_from_this<Masks> {
 public:
  explicit Masks(Inquiry& q)
      : q_(q),
        kinks_(q.evidence().network, q.evidence().parameters,
               analysis_options(q.evidence().network)),
        judge_(q.evidence().network, q.evidence().parameters, q.evidence().quantity) {}

  bool any() const { return !kinks_.kinks().empty(); }

  void open() {
    const std::size_t n = kinks_.kinks().size();
    for (std::size_t k = 0; k < n; ++k) open(k, false);
    if (n > 1) open(n, true);
  }

  void of_other_rows() {
    const std::size_t rows = q_.layout().rows;
    for (const std::size_t step : {std::size_t{1}, rows - 1}) {
      if (rows < 2 || (rows == 2 && step > 1)) break;
      const char* detail = step == 1 ? "of the next row" : "of the row before";
      try_slopes(detail, Reach::everything, [this, step, rows](std::size_t row) {
        return std::optional(of((row + step) % rows).slopes);
      });
    }
  }

  /// Of each failing row one decided unit.
  void flipped_unit() {
    if (try_slopes("one unit", Reach::rows,
                   [this](std::size_t row) { return with_one_flipped(row); }))
      q_.was_chosen_by_row();
  }

 private:
  void open(std::size_t k, bool all) {
    const std::string detail = all ? "open everywhere" : fmt::format("open, {}", k);
    try_slopes(detail, Reach::everything, [this, k, all](std::size_t row) {
      Slopes slopes = of(row).slopes;
      for (std::size_t i = 0; i < slopes.size(); ++i)
        if (all || i == k) std::fill(slopes[i].begin(), slopes[i].end(), 1.0f);
      return std::optional(std::move(slopes));
    });
  }

  std::optional<Slopes> with_one_flipped(std::size_t row) {
    const RowKinks& k = of(row);
    Slopes slopes = k.slopes;
    const std::vector<Unit> units = units_to_flip(row);
    for (std::size_t i = 0; i < std::min(most_units, units.size()); ++i) {
      const Unit& u = units[i];
      float& slope = slopes[u.kink][u.element];
      const float own = slope;
      slope = other_slope(kinks_.kinks()[u.kink], own);
      if (q_.row_fits(row, judge_.run(inputs_of(q_, row), &slopes))) return slopes;
      slope = own;
    }
    return std::nullopt;
  }

  /// A flipped unit changes the gradients of its own weights and of those before it in the network,
  /// of no other unit of its layer and of none after it: it is the one unit of the last layer whose
  /// weights' gradients fail. All decided units where weights cannot tell.
  std::vector<Unit> units_to_flip(std::size_t row) {
    const std::vector<Unit>& decided = of(row).decided;
    if (q_.evidence().quantity != Quantity::parameter_jacobian) return decided;
    std::vector<Unit> last;
    for (const Unit& u : decided) {
      const auto weight = weight_of(u.kink);
      if (!weight) return decided;
      if (!fails(row, *weight, u.element)) continue;
      if (!last.empty() && last.front().kink < u.kink) last.clear();
      if (last.empty() || last.front().kink == u.kink) last.push_back(u);
    }
    if (last.size() > 1) last.clear();
    return last;
  }

  /// The parameter whose row j makes unit j of the kink, if there is one.
  std::optional<std::size_t> weight_of(std::size_t kink) const {
    const Network& network = q_.evidence().network;
    const Node& z = network.node(kinks_.kinks()[kink].operand);
    if (z.op != Op::linear || z.shape.rows != 1) return std::nullopt;
    const Node& weight = network.node(z.args[1]);
    if (weight.op != Op::parameter) return std::nullopt;
    return weight.index;
  }

  bool fails(std::size_t row, std::size_t parameter, std::size_t unit) const {
    const Layout& layout = q_.layout();
    const auto& failing = q_.side().failing;
    const auto block =
        std::find_if(layout.blocks.begin(), layout.blocks.end(), [&](const Layout::Block& b) {
          return b.gradient == q_.evidence().network.inputs().size() + parameter;
        });
    if (block == layout.blocks.end()) return false;
    for (std::size_t o = 0; o < layout.outputs; ++o) {
      const std::size_t first =
          (row * layout.outputs + o) * layout.elements + block->first + unit * block->shape.cols;
      const auto at = std::lower_bound(failing.begin(), failing.end(), first);
      if (at != failing.end() && *at < first + block->shape.cols) return true;
    }
    return false;
  }

  const RowKinks& of(std::size_t row) {
    auto [at, fresh] = known_.try_emplace(row);
    if (fresh) at->second = kinks_.judge(inputs_of(q_, row));
    return at->second;
  }

  using SlopesOf = std::function<std::optional<Slopes>(std::size_t)>;
  bool try_slopes(const std::string& detail, Reach reach, const SlopesOf& slopes_of) {
    return q_.test_rows(
        "wrong mask", detail, reach,
        [self = shared_from_this(), slopes_of](std::size_t row) -> const RowBounds* {
          const std::optional<Slopes> slopes = slopes_of(row);
          if (!slopes) return nullptr;
          return &self->judge_.run(inputs_of(self->q_, row), &*slopes);
        });
  }

  Inquiry& q_;
  KinkJudge kinks_;
  RowJudge judge_;
  std::map<std::size_t, RowKinks> known_;
};

}  // namespace

void try_altered(Inquiry& q) {
  const Evidence& e = q.evidence();
  const bool gradient = e.quantity != Quantity::outputs;
  for (Altered& altered : altered_networks(e.network, e.parameters, gradient))
    try_network(q, std::move(altered));
  if (gradient) try_transposed_gradient(q);
}

void try_masks(Inquiry& q) {
  if (q.evidence().quantity == Quantity::outputs) return;
  const auto masks = std::make_shared<Masks>(q);
  if (!masks->any()) return;
  masks->open();
  masks->of_other_rows();
  masks->flipped_unit();
}

}  // namespace ulpfuzz::diagnosis
