#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// The networks that a case's trials evaluate, derived once a case.
struct DerivedNetworks {
  Network loop;                  ///< vjp with repeat 1
  Network reverse;               ///< vjp with repeat = output width
  Network summed;                ///< vjp with Reduction::batch_sum
  std::vector<Network> forward;  ///< jvp with respect to each input, then each parameter
};
DerivedNetworks derive(const Network& network);

/// Results of one gradient schedule. blocks[w], w over inputs then parameters, holds
/// d output[b, o] / d element t at (b * outputs + o) * elements + t for reverse schedules (loop,
/// reverse) and at (b * elements + t) * outputs + o for the forward schedule.
struct Jacobian {
  std::size_t batch = 0;
  std::size_t outputs = 0;
  std::vector<std::size_t> elements;
  std::vector<std::vector<float>> blocks;
};

/// Schedules: how a subject is asked for the same mathematical result. All go through `caller`.

/// Whole batch at once: [batch, output width].
std::vector<float> forward_batched(Caller& caller, const Subject& subject, const Case& c);
/// The rows of one slice (padding evaluated, results dropped): [slice.rows.size(), output width].
std::vector<float> forward_slice(Caller& caller, const Subject& subject, const Case& c,
                                 const Slice& slice);
/// forward_slice of every slice of the case, several at once where the subject likes it.
std::vector<std::vector<float>> forward_slices(Caller& caller, const Subject& subject,
                                               const Case& c);
/// Jacobians reuse the memory of `memory`, an old one.
/// One row, one output at a time, reverse mode.
Jacobian jacobian_loop(Caller& caller, const Subject& subject, const Case& c,
                       const DerivedNetworks& derived, Jacobian memory = {});
/// All cotangents at once, reverse mode.
Jacobian jacobian_reverse(Caller& caller, const Subject& subject, const Case& c,
                          const DerivedNetworks& derived, Jacobian memory = {});
/// All tangents at once, forward mode.
Jacobian jacobian_forward(Caller& caller, const Subject& subject, const Case& c,
                          const DerivedNetworks& derived, Jacobian memory = {});
/// Gradients of sum over b, o of cotangents[b, o] output[b, o], with respect to each parameter, for
/// the rows given: one vector a parameter.
std::vector<std::vector<float>> gradient_summed(Caller& caller, const Subject& subject,
                                                const Case& c, const DerivedNetworks& derived,
                                                std::span<const std::uint32_t> rows);

}  // namespace ulpfuzz
