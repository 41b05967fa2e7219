#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {

/// Says that something is wrong at the place being read; throws.
using Complain = std::function<void(std::string_view problem, std::string_view remedy)>;

/// The default of `alpha` in the text form; nothing reads it in ops without one.
float default_alpha(Op op);
/// Ops whose alpha is always written, other ops only have it written where it is not 0.
bool has_alpha(const Node& node);

/// Appends through Network::append, so that every shape is checked, and holds the value to
/// limits::value_size.
void append_checked(Network& network, const Node& node, const Complain& complain);
void output_checked(Network& network, NodeId id, const Complain& complain);
void set_repeat_checked(Network& network, std::uint32_t repeat, const Complain& complain);

/// Complains about a tensor that no file should ask for, before memory is taken for it.
void check_dimensions(std::uint32_t rows, std::uint32_t cols, const Complain& complain);

/// One tensor a parameter node, of its shape.
void check_parameters(const Network& network, const std::vector<Tensor>& parameters,
                      const Complain& complain);

/// validate(c), complaining.
void check_case(const Case& c, const Complain& complain);

}  // namespace ulpfuzz
