#pragma once

#include <cstdint>

#include "topology.hpp"
#include "ulpfuzz/network/case.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {

/// How the weights of a network are drawn. Equinox and PyTorch agree: uniform within
/// 1/sqrt(inputs), biases too (kaiming_uniform with a = sqrt 5 is that bound).
enum class Initialisation : std::uint8_t { framework, glorot, he, normal };
inline constexpr int initialisation_count = static_cast<int>(Initialisation::normal) + 1;

/// What happens to single rows on top of the class of a tensor.
enum class RowSpecial : std::uint8_t { none, nan_row, infinite_row, equal_rows, constant, zero };
inline constexpr int row_special_count = static_cast<int>(RowSpecial::zero) + 1;

/// Which values a case has: few choices, drawn before any tensor is filled.
struct DataPlan {
  Values inputs = Values::normal;
  Initialisation initialisation = Initialisation::framework;
  bool special_parameters = false;  ///< of class `parameters` rather than initialised
  Values parameters = Values::normal;
  RowSpecial special = RowSpecial::none;
  bool aim_at_kinks = false;    ///< biases that put pre-activations on or within ulps of 0
  std::uint8_t cotangents = 0;  ///< 0..3: normal, ones, one-hot, small integers
};

DataPlan draw_data_plan(Source& source);

/// Fills a parameter, of class `parameters` or initialised for its purpose.
void fill_parameter(Tensor& t, Purpose purpose, const DataPlan& data, Words& words);
/// Fills an input, single rows of it too.
void fill_input(Tensor& t, const DataPlan& data, Words& words);

/// Fills parameters, inputs and, if asked for, cotangents of a case whose network is in place.
void fill_case(Case& c, const Plan& plan, const DataPlan& data, bool cotangents, Words& words);

}  // namespace ulpfuzz::generators
