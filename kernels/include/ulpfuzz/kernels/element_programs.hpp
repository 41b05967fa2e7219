#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "ulpfuzz/kernels/map_programs.hpp"
#include "ulpfuzz/kernels/move_programs.hpp"
#include "ulpfuzz/kernels/zones_program.hpp"

namespace ulpfuzz::kernels {

inline std::size_t workspace_of(const Map&) { return 0; }
inline std::size_t workspace_of(const Move&) { return 0; }
inline std::size_t workspace_of(const CheckZones&) { return 0; }

template <class Run>
void with_programs(const Map& map, float*, const Run& run) {
  if (map.count == 0) return;
  with_map_function(map, [&](const auto& f) {
    const MapProgram<std::decay_t<decltype(f)>> program{f, map.count, map.y};
    run(program, program.blocks());
  });
}

/// Throws std::invalid_argument where `repeat`, `x_rows` or `period` is 0.
template <class Run>
void with_programs(const Move& move, float*, const Run& run) {
  if (move.repeat == 0 || move.x_rows == 0 || move.period == 0)
    throw std::invalid_argument("a move with a repeat, x_rows or period of 0; 1 would fit");
  with_move_kind(move, [&](const auto& kind) {
    const std::size_t rows = move.entries * move.rows, width = kind.width();
    if (rows == 0 || width == 0) return;
    const auto start = [&](const auto& program) { run(program, program.blocks()); };
    using Kind = std::decay_t<decltype(kind)>;
    if (width <= 8) return start(NarrowMove<Kind>{kind, rows, width});
    if (width <= 4 * warp) return start(WideMove<Kind, warp>{kind, rows, width});
    start(WideMove<Kind, 4 * warp>{kind, rows, width});
  });
}

template <class Run>
void with_programs(const CheckZones& check, float*, const Run& run) {
  const ZonesProgram program{check};
  if (check.zones != 0) run(program, program.blocks());
}

}  // namespace ulpfuzz::kernels
