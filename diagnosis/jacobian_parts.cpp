#include "jacobian_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t exhaustive_layers = 4;

bool is_product(Op op) { return op == Op::linear || op == Op::matmul || op == Op::outer_sum; }

bool reads_parameter(const Network& network, const Node& node) {
  return std::any_of(node.args.begin(), node.args.begin() + std::min<int>(node.arity, 2),
                     [&](NodeId id) { return network.node(id).op == Op::parameter; });
}

class Planner {
 public:
  Planner(const Network& network, const Network& forward)
      : parts_(parts_of(network, forward)),
        layers_(layers_of(network, forward)),
        count_(layer_count(forward)) {}

  using Chosen = std::function<bool(Part, std::optional<std::size_t>)>;
  void add(const std::string& name, const Chosen& chosen) {
    Plan plan{name, {}};
    for (NodeId id = 0; id < parts_.size(); ++id)
      if (parts_[id] != Part::none && chosen(parts_[id], layers_[id])) plan.products.push_back(id);
    const bool known = std::any_of(plans_.begin(), plans_.end(),
                                   [&](const Plan& p) { return p.products == plan.products; });
    if (!known && !plan.products.empty()) plans_.push_back(std::move(plan));
  }

  void add_parts() {
    const auto alone = [](Part which) {
      return [which](Part p, std::optional<std::size_t>) { return p == which; };
    };
    add("everywhere", [](Part, auto) { return true; });
    add("in the forward pass alone", alone(Part::forward));
    add("in the backward pass alone", [](Part p, auto) { return p != Part::forward; });
    add("everywhere but in outer products", [](Part p, auto) { return p != Part::outer; });
    add("in outer products alone", alone(Part::outer));
    add("in the backward pass but not in outer products", alone(Part::backward));
  }

  void add_layers() {
    const std::size_t n = count_;
    const auto with = [&](std::uint64_t set) {
      std::string name = "in layer";
      for (std::size_t l = 0; l < n; ++l)
        if (set >> l & 1) name += fmt::format(" {}", l + 1);
      add(name, [set](Part, std::optional<std::size_t> l) { return l && (set >> *l & 1) != 0; });
    };
    if (n <= exhaustive_layers) {
      for (std::uint64_t set = 1; set + 1 < std::uint64_t{1} << n; ++set) with(set);
      return;
    }
    const std::uint64_t every = n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
    for (std::size_t l = 0; l < std::min<std::size_t>(n, 64); ++l) {
      with(std::uint64_t{1} << l);
      with(every & ~(std::uint64_t{1} << l));
    }
  }

  std::vector<Plan> take() { return std::move(plans_); }

 private:
  std::vector<Part> parts_;
  std::vector<std::optional<std::size_t>> layers_;
  std::size_t count_;
  std::vector<Plan> plans_;
};

}  // namespace

std::vector<Part> parts_of(const Network& network, const Network& forward) {
  const bool itself = network == forward;
  const auto layers = layers_of(network, forward);
  std::vector<Part> parts;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& node = network.node(id);
    const bool tangent = !itself && node.axis == Axis::repeated;
    parts.push_back(!is_product(node.op)                            ? Part::none
                    : !tangent                                      ? Part::forward
                    : layers[id] && !reads_parameter(network, node) ? Part::outer
                                                                    : Part::backward);
  }
  return parts;
}

std::vector<Plan> plans(const Network& network, const Network& forward) {
  Planner planner(network, forward);
  planner.add_parts();
  planner.add_layers();
  return planner.take();
}

LayeredArithmetic arithmetic_of(const Plan& plan, const Arithmetic& special) {
  LayeredArithmetic a;
  for (const NodeId id : plan.products) a.except.emplace_back(id, special);
  return a;
}

std::vector<std::string> layer_words(const Plan& plan, const Network& network,
                                     const Network& forward, const std::string& hypothesis) {
  const auto parts = parts_of(network, forward);
  const auto layers = layers_of(network, forward);
  std::vector<std::string> words(layer_count(forward), "fp32");
  for (std::size_t l = 0; l < words.size(); ++l) {
    std::string some;
    bool all = true;
    for (const Part part : {Part::forward, Part::backward, Part::outer}) {
      bool in = false;
      for (NodeId id = 0; id < parts.size(); ++id) {
        if (parts[id] != part || layers[id] != l) continue;
        const bool chosen = std::binary_search(plan.products.begin(), plan.products.end(), id);
        in = in || chosen;
        all = all && chosen;
      }
      if (!in) continue;
      if (!some.empty()) some += " and ";
      some += part == Part::forward ? "forward" : part == Part::backward ? "backward" : "outer";
    }
    if (!some.empty()) words[l] = all ? hypothesis : fmt::format("{} ({})", hypothesis, some);
  }
  return words;
}

}  // namespace ulpfuzz::diagnosis
