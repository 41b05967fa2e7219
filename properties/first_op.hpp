#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::properties {

/// One evaluation of a network by a subject, to be looked into.
struct Evaluated {
  const Network& network;
  std::span<const Tensor> parameters;
  std::size_t batch = 0;
  std::span<const float* const> inputs;  ///< must outlive the question, as must those below
  unsigned offset = 0;
};

/// The network with every node that computes something as an output, after its own outputs.
struct Opened {
  Network network;
  std::vector<NodeId> nodes;  ///< node of each added output
};
Opened open(const Network& network);

/// Evaluates an opened network. Nothing if the subject does not evaluate it: says so, or throws.
/// Any other fault is a finding like that of every call, and is let through.
std::optional<Outputs> evaluate_opened(CheckContext& context, const Subject& subject,
                                       const Evaluated& opened);

/// "linear", "derivative of relu": fit for Verdict::first_op.
std::string op_words(const Node& node);
/// "linear(8 -> 4)".
std::string op_label(const Network& network, const Node& node);

/// The first node whose values in batch entry `row` are not what the analysis of that row, whose
/// own inputs are `row_inputs`, allows; empty if each node is within its bounds, or the subject
/// does not evaluate the opened network. A `whole` evaluation is analysed with all its rows.
std::string first_op_off_reference(CheckContext& context, const Subject& subject,
                                   const Evaluated& evaluation, std::size_t row,
                                   std::span<const float* const> row_inputs, bool whole);

/// The first node whose bits in entry `row_a` of evaluation a differ from entry `row_b` of b;
/// null if there is none or the subject does not evaluate the opened network.
const Node* first_op_that_parts(CheckContext& context, const Subject& subject, const Evaluated& a,
                                std::size_t row_a, const Evaluated& b, std::size_t row_b);

}  // namespace ulpfuzz::properties
