#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ulpfuzz {

/// What a node of a network computes. A value is, for each batch row, a matrix [m, n] ("features");
/// a plain vector is [1, n]. Functions act on each feature row where they are not elementwise.
enum class Op : std::uint8_t {
  input,      ///< the batch, or in a derivative network the cotangents
  parameter,  ///< shared by all batch rows
  linear,     ///< x[m,k] W[n,k]^T (+ bias[1,n]) -> [m,n]
  matmul,     ///< a b, each optionally transposed; each operand per row or shared
  /// Elementwise; one operand may be shared, and [1,n] is broadcast over feature rows (both may be
  /// sums over the batch). mul likewise.
  add,
  mul,
  relu,
  leaky_relu,  ///< slope `alpha` for x < 0
  tanh,
  sigmoid,
  silu,
  gelu_erf,   ///< x (1 + erf(x/sqrt 2)) / 2
  gelu_tanh,  ///< x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
  softplus,   ///< log(1 + e^x)
  elu,        ///< x for x > 0, alpha (e^x - 1) else
  softmax,    ///< over each feature row
  /// (x - mean) / sqrt(var + alpha) over each feature row: biased variance, no affine part.
  layer_norm,
  rms_norm,  ///< x / sqrt(mean x^2 + alpha) over each feature row, no affine part
  concat,    ///< [m,n1], [m,n2] -> [m,n1+n2]
  reshape,   ///< [m,n] -> [m',n'], same count, row-major

  // Ops that only derivative networks need.
  derivative,       ///< phi'(x) of the activation `of`, elementwise
  softmax_grad,     ///< v, s = softmax(x) -> s (v - s.v): its Jacobian is symmetric, so jvp = vjp
  layer_norm_grad,  ///< v, x -> Jacobian of layer_norm at x times v (symmetric)
  rms_norm_grad,    ///< v, x -> Jacobian of rms_norm at x times v (symmetric)
  slice,            ///< columns [start, start + n) of [m,n'] : the adjoint of concat
  pad,              ///< [m,n'] placed at column start of zeros [m,n]
  sum_rows,         ///< [m,n] -> [1,n], sum over feature rows
  batch_sum,        ///< per row -> shared: sum over all batch rows
  outer_sum,        ///< a[m,n], b[m,k] -> shared [n,k]: sum over batch and feature rows of a^T b
  basis,            ///< repeated row t: one-hot e_t, as [m,n]; see Network::basis
  unit_tangents     ///< h[m,k] -> repeated row t = i k + j: [m,n], column i = h[:,j], else 0
};

inline constexpr int op_count = static_cast<int>(Op::unit_tangents) + 1;

std::string_view name(Op op);
std::optional<Op> op_from(std::string_view name);

/// relu .. elu: elementwise functions of one operand.
bool is_activation(Op op);

}  // namespace ulpfuzz
