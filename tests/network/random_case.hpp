#pragma once

#include <bit>
#include <random>
#include <vector>

#include "support/example_networks.hpp"
#include "ulpfuzz/network/case_file.hpp"

/// Cases that a file must keep whatever they hold; not meant to be evaluated.
namespace ulpfuzz::random_cases {

using Random = std::mt19937_64;

inline std::uint32_t below(Random& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

/// Any bits: NaN payloads, subnormals, infinities; now and then an ordinary or special value.
inline float any_float(Random& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (below(random, 6)) {
    case 0:
      return std::bit_cast<float>(bits & 0x80000000u);  // a zero of either sign
    case 1:
      return std::bit_cast<float>(bits & 0x807fffffu);  // a subnormal
    case 2:
      return std::bit_cast<float>(bits | 0x7f800000u);  // NaN, rarely an infinity
    case 3:
      return static_cast<float>(static_cast<int>(below(random, 17)) - 8) / 4;
    case 4:
      return std::bit_cast<float>((bits & 0x80000000u) | 0x7f800000u);
    default:
      return std::bit_cast<float>(bits);
  }
}

inline Tensor any_tensor(Random& random, std::uint32_t rows, std::uint32_t cols) {
  Tensor t(rows, cols);
  for (float& x : t.data) x = any_float(random);
  return t;
}

inline std::vector<Slice> any_split(Random& random, std::uint32_t batch) {
  std::vector<Slice> split(below(random, 4));
  for (Slice& slice : split) {
    slice.padding = below(random, 3);
    if (batch == 0) continue;
    const bool runs = random() & 1;
    std::uint32_t row = below(random, batch);
    for (std::uint32_t i = below(random, 2 * batch); i > 0; --i) {
      slice.rows.push_back(row);
      row = runs ? (row + 1) % batch : below(random, batch);
    }
  }
  return split;
}

inline std::vector<Tensor> parameters_of(Random& random, const Network& network) {
  std::vector<Tensor> parameters;
  for (const NodeId id : network.parameters()) {
    const Shape shape = network.node(id).shape;
    parameters.push_back(any_tensor(random, shape.rows, shape.cols));
  }
  return parameters;
}

inline Case case_of(Random& random, Network network, std::uint32_t batch) {
  Case c;
  c.network = std::move(network);
  c.parameters = parameters_of(random, c.network);
  for (const NodeId id : c.network.inputs()) {
    const auto width = static_cast<std::uint32_t>(c.network.node(id).shape.size());
    c.inputs.push_back(any_tensor(random, batch, width));
  }
  if (random() & 1)
    c.cotangents = any_tensor(random, batch, static_cast<std::uint32_t>(c.output_width()));
  c.split = any_split(random, batch);
  c.layout = {static_cast<std::uint8_t>(below(random, 16)),
              static_cast<std::uint8_t>(below(random, 16))};
  return c;
}

/// An input without columns, a weight without columns: outputs are the bias.
inline Network without_width() {
  Network n;
  n.output(examples::build::dense(n, n.input(0), 2));
  return n;
}

inline const std::vector<examples::Example>& networks() {
  static const std::vector<examples::Example> list = [] {
    auto all = examples::all();
    all.push_back({"without_width", without_width()});
    return all;
  }();
  return list;
}

inline CaseFile any_case_file(Random& random) {
  const auto& list = networks();
  const auto which = below(random, static_cast<std::uint32_t>(list.size()));
  CaseFile file{case_of(random, list[which].network, below(random, 6)), {}};
  if (random() & 1) {
    file.notes = {{"property", "batched_vs_sliced"},
                  {"comment", "two \"lines\"\n\t\\ and \xc3\xa9"}};
  }
  return file;
}

}  // namespace ulpfuzz::random_cases
