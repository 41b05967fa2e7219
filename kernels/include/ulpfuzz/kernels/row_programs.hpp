#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "ulpfuzz/kernels/column_sum_programs.hpp"
#include "ulpfuzz/kernels/map_programs.hpp"
#include "ulpfuzz/kernels/norm_programs.hpp"
#include "ulpfuzz/kernels/row_gradient_programs.hpp"
#include "ulpfuzz/kernels/row_launches.hpp"
#include "ulpfuzz/kernels/softmax_program.hpp"

namespace ulpfuzz::kernels {

inline std::size_t workspace_of(const Softmax&) { return 0; }
inline std::size_t workspace_of(const Norm&) { return 0; }
inline std::size_t workspace_of(const RowGradient&) { return 0; }
inline std::size_t workspace_of(const ColumnSum& sum) {
  const bool apart = sum.parts > 1 && sum.combination == Combination::ordered;
  return apart ? sum.entries * sum.parts * sum.n : 0;
}

template <class Run>
void with_programs(const Softmax& softmax, float*, const Run& run) {
  if (softmax.rows == 0 || softmax.n == 0) return;
  with_row_lanes(softmax.n, [&](auto lanes) {
    const std::size_t blocks = RowTeam<lanes>::blocks(softmax.rows);
    const bool online = softmax.formula == Softmax::Formula::online;
    if (online && softmax.fast) return run(OnlineSoftmax<lanes, true>(softmax), blocks);
    if (online) return run(OnlineSoftmax<lanes, false>(softmax), blocks);
    if (softmax.fast) return run(ShiftedSoftmax<lanes, true>(softmax), blocks);
    run(ShiftedSoftmax<lanes, false>(softmax), blocks);
  });
}

template <class Run>
void with_programs(const Norm& norm, float*, const Run& run) {
  if (norm.rows == 0 || norm.n == 0) return;
  with_row_lanes(norm.n, [&](auto lanes) {
    const std::size_t blocks = RowTeam<lanes>::blocks(norm.rows);
    if (norm.kind == Norm::Kind::rms) return run(NormProgram<lanes, RmsMoments>(norm), blocks);
    if (norm.passes == Norm::Passes::one)
      return run(NormProgram<lanes, OnePassMoments>(norm), blocks);
    run(NormProgram<lanes, TwoPassMoments>(norm), blocks);
  });
}

template <class Run>
void with_programs(const RowGradient& gradient, float*, const Run& run) {
  if (gradient.rows == 0 || gradient.n == 0) return;
  with_row_lanes(gradient.n, [&](auto lanes) {
    const std::size_t blocks = RowTeam<lanes>::blocks(gradient.rows);
    switch (gradient.of) {
      case RowGradient::Of::softmax:
        return run(SoftmaxGradient<lanes>(gradient), blocks);
      case RowGradient::Of::layer_norm:
        return run(NormGradient<lanes, TwoPassMoments>(gradient), blocks);
      case RowGradient::Of::rms_norm:
        return run(NormGradient<lanes, RmsMoments>(gradient), blocks);
    }
  });
}

/// Throws std::invalid_argument for rows_at_once other than 1, 4 and 8, and for 0 parts.
template <class Run>
void with_programs(const ColumnSum& sum, float* workspace, const Run& run) {
  if (sum.parts == 0) throw std::invalid_argument("a column sum in 0 parts; 1 or more would fit");
  if (sum.rows_at_once != 1 && sum.rows_at_once != 4 && sum.rows_at_once != 8)
    throw std::invalid_argument("a column sum of " + std::to_string(sum.rows_at_once) +
                                " rows at once; 1, 4 or 8 would fit");
  if (sum.entries == 0 || sum.n == 0) return;
  const bool apart = workspace_of(sum) != 0;
  if (sum.parts > 1 && !apart) {
    const MapProgram<MapFill> clear{{0.0f}, sum.entries * sum.n, sum.y};
    run(clear, clear.blocks());
  }
  const auto start = [&](const auto& program) { run(program, program.blocks()); };
  float* const partial = apart ? workspace : nullptr;
  if (sum.rows_at_once == 1)
    start(ColumnSumProgram<1>{sum, partial});
  else if (sum.rows_at_once == 4)
    start(ColumnSumProgram<4>{sum, partial});
  else
    start(ColumnSumProgram<8>{sum, partial});
  if (apart) start(CombineColumns{sum, partial});
}

}  // namespace ulpfuzz::kernels
