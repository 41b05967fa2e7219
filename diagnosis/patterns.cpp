#include "engine.hpp"

namespace ulpfuzz::diagnosis {

bool whole(const Hypothesis& h) {
  const Arithmetic plain;
  Arithmetic products = h.arithmetic;  // what single layers may have of their own, undone
  products.operand = plain.operand;
  products.conversion = plain.conversion;
  products.split = plain.split;
  products.accumulate = plain.accumulate;
  products.unit = plain.unit;
  products.partials = plain.partials;
  products.partial = plain.partial;
  const bool as_usual = products == h.arithmetic;
  return as_usual || h.fast_exp || h.fast_tanh || h.other_gelu;
}

bool keeps(const Hypothesis& h) { return h.arithmetic.keep != Format::fp32; }

LayeredArithmetic layered(const Network& network, const Network& forward, const Hypothesis& h,
                          std::uint64_t pattern) {
  LayeredArithmetic result;
  if (whole(h)) {
    if (pattern != 0) result.everywhere = h.arithmetic;
    return result;
  }
  auto layers = layers_of(network, forward);
  if (keeps(h) && &network == &forward)
    for (NodeId id = 1; id < layers.size(); ++id)
      if (!layers[id]) layers[id] = layers[id - 1];
  for (NodeId id = 0; id < layers.size(); ++id) {
    if (layers[id] && (pattern >> *layers[id] & 1) != 0)
      result.except.emplace_back(id, h.arithmetic);
  }
  return result;
}

std::vector<std::string> layer_names(std::size_t layers, const Hypothesis& h,
                                     std::uint64_t pattern) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers; ++i) {
    const bool own = whole(h) ? pattern != 0 : (pattern >> i & 1) != 0;
    names.push_back(own ? h.name : "fp32");
  }
  return names;
}

}  // namespace ulpfuzz::diagnosis
