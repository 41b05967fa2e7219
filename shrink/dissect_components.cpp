#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "dissect_numbers.hpp"
#include "dissect_parts.hpp"
#include "dissect_surgery.hpp"
#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr unsigned most_draws = 32;
constexpr std::size_t most_numbers = 24;

/// A component and what to put in its place: choice 0, 1, ..; nothing where there are no more.
struct Part {
  std::string name;
  std::function<std::optional<Case>(unsigned)> other;
};

/// Normal numbers, of the size that the old one had in every other draw.
void redraw(std::span<float> values, unsigned draw, std::uint64_t seed) {
  const std::vector<float> old(values.begin(), values.end());
  generators::draw_normal(values, 1, seed * most_draws + draw);
  if (draw % 2 == 0) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnormal(old[i])) values[i] *= std::exp2(static_cast<float>(std::ilogb(old[i])));
  }
}

class Parts {
 public:
  explicit Parts(const Case& c) : c_(c) {}

  std::vector<Part> all() {
    for (NodeId id = 0; id < c_.network.nodes().size(); ++id) op(id);
    if (c_.batch() > 1) {
      for (std::uint32_t r = 0; r < std::min<std::size_t>(c_.batch(), most_numbers); ++r) row(r);
    }
    for (std::size_t s = 0; s < std::min(c_.split.size(), most_numbers); ++s) slice(s);
    number_parts();
    return std::move(parts_);
  }

 private:
  void op(NodeId id) {
    const Node& node = c_.network.node(id);
    if (node.op == Op::input || node.op == Op::parameter) return;
    std::vector<Case> choices;
    const auto offer = [&](std::optional<Case> c) {
      if (c) choices.push_back(std::move(*c));
    };
    offer(without_node(c_, id));
    for (const Op other : alternatives(node.op)) {
      if (other == node.op) continue;
      Node n = node;
      n.op = other;
      n.alpha = other == Op::elu ? 1.0f : other == Op::leaky_relu ? 0.01f : 0.0f;
      if (other == Op::layer_norm || other == Op::rms_norm) n.alpha = 1e-5f;
      offer(with_node(c_, id, n));
    }
    add(label(c_.network, id), std::move(choices));
    if (node.op == Op::linear && node.arity == 3) bias(id, node);
  }

  static std::vector<Op> alternatives(Op op) {
    if (is_activation(op))
      return {Op::relu,     Op::tanh,      Op::sigmoid, Op::leaky_relu,
              Op::softplus, Op::gelu_tanh, Op::elu};
    switch (op) {
      case Op::softmax:
      case Op::layer_norm:
      case Op::rms_norm:
        return {Op::softmax, Op::layer_norm, Op::rms_norm, Op::tanh};
      case Op::add:
      case Op::mul:
        return {Op::add, Op::mul};
      default:
        return {};
    }
  }

  void bias(NodeId id, const Node& node) {
    std::vector<Case> choices;
    Node bare = node;
    bare.arity = 2;
    if (auto c = with_node(c_, id, bare)) choices.push_back(std::move(*c));
    Case zero = c_;
    std::ranges::fill(zero.parameters[c_.network.node(node.args[2]).index].data, 0.0f);
    if (c_.network.node(node.args[2]).op == Op::parameter) choices.push_back(std::move(zero));
    add("bias of " + label(c_.network, id), std::move(choices));
  }

  void add(std::string name, std::vector<Case> choices) {
    if (choices.empty()) return;
    parts_.push_back({std::move(name), [choices](unsigned i) -> std::optional<Case> {
                        if (i >= choices.size()) return std::nullopt;
                        return choices[i];
                      }});
  }

  void row(std::uint32_t r) {
    parts_.push_back({fmt::format("row {}", r), [&whole = c_, r](unsigned draw) {
                        Case c = whole;
                        for (std::size_t i = 0; i < c.inputs.size(); ++i)
                          redraw(c.inputs[i].row(r), draw, 1000 + r * 8 + i);
                        return std::optional(std::move(c));
                      }});
  }

  /// The other slices alone, then other rows in this one.
  void slice(std::size_t s) {
    parts_.push_back(
        {fmt::format("slice {}", s), [&whole = c_, s](unsigned draw) -> std::optional<Case> {
           Case c = whole;
           if (draw == 0 && c.split.size() > 1) {
             c.split.erase(c.split.begin() + static_cast<std::ptrdiff_t>(s));
             return c;
           }
           const auto n = static_cast<std::uint32_t>(c.batch());
           const unsigned shift = draw + (c.split.size() > 1 ? 0 : 1);
           if (shift >= n) return std::nullopt;
           for (std::uint32_t& r : c.split[s].rows) r = (r + shift) % n;
           return c;
         }});
  }

  void number_parts() {
    const std::vector<Number> all = numbers(c_);
    if (all.size() > most_numbers) {
      for (const TensorPlace& place : tensors(c_)) {
        parts_.push_back({place.name, [&whole = c_, place](unsigned draw) {
                            Case c = whole;
                            redraw(place.in(c).data, draw, 1 + place.index);
                            return std::optional(std::move(c));
                          }});
      }
      return;
    }
    for (const Number& number : all) {
      parts_.push_back({number.name, [&whole = c_, number](unsigned draw) {
                          Case c = whole;
                          redraw({&number.in(c), 1}, draw, 1 + number.element);
                          return std::optional(std::move(c));
                        }});
    }
  }

  const Case& c_;
  std::vector<Part> parts_;
};

/// Some of both, clearly.
bool mixed(const Component& c) { return c.tried >= 8 && c.failed >= 2 && c.tried - c.failed >= 2; }

Component weigh(Asker& asker, const Part& part, unsigned draws) {
  Component c{part.name, Weight::irrelevant, 0, 0};
  for (unsigned draw = 0; draw < draws && !asker.spent() && !mixed(c); ++draw) {
    const auto other = part.other(draw);
    if (!other) break;
    const Verdict v = asker.ask(*other);
    if (!v.failed() && !asker.passes(v)) continue;
    ++c.tried;
    if (asker.alike(v)) ++c.failed;
  }
  if (c.failed < c.tried) c.weight = c.failed == 0 ? Weight::critical : Weight::sensitive;
  return c;
}

}  // namespace

std::vector<Component> components(Asker& asker) {
  const std::vector<Part> parts = Parts(asker.failing().value).all();
  std::vector<Component> result;
  if (parts.empty()) return result;
  // As often for each, so that their counts can be compared.
  const auto draws = static_cast<unsigned>(
      std::clamp<std::uint64_t>(asker.remaining() / parts.size(), 1, most_draws));
  for (const Part& part : parts) {
    Component c = weigh(asker, part, draws);
    if (c.tried > 0) result.push_back(std::move(c));
  }
  return result;
}

}  // namespace ulpfuzz::shrinking
