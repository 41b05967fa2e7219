#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid.hpp"
#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/network/network.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {

/// Of one element. `class_known`: the value is NaN or an infinity in every legal evaluation, and
/// `Value::value` holds which. Ordered by how little is known.
enum class State : std::uint8_t { finite, class_known, range, unknown };

/// A matrix as a right operand: its rows are contiguous. Filled on first use.
struct RightOperand {
  bool ready = false;
  std::vector<double> value, error, variance;  ///< transposed copy; empty for the matrix as it is
  std::vector<double> column_max;              ///< largest magnitude of each row
  double max = 0;
  bool converted_ready = false;  ///< as `conversion_of` says
  std::pair<Format, Rounding> conversion_of;
  std::vector<double> converted, conversion;  ///< see DotCall

  void forget() { ready = converted_ready = false; }
};

/// A network node, analysed: one array a quantity, [entries, rows, cols] dense, with slack.
struct Value {
  std::size_t entries = 0;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::uint64_t ancestors = 0;  ///< bit id % 64 for each rounding node it depends on
  bool error_free = false;      ///< no element has an error
  bool clean = true;            ///< every state is `finite`; `state` is not kept
  bool conspiring = false;      ///< errors that no mean-zero model describes: undecided masks
  /// Errors of its rows may be alike: conversions of what the rows share, or cut sums.
  bool alike = false;
  bool deviations = false;  ///< `variance` holds standard deviations

  std::vector<double> value;
  std::vector<double> error;     ///< sound radius: contains `local`
  std::vector<double> variance;  ///< of the probabilistic tier
  std::vector<double> local;     ///< what the last op adds to `error`
  std::vector<State> state;
  std::vector<int> grid;              ///< one an entry
  RightOperand straight, transposed;  ///< of a shared value

  std::size_t size() const { return rows * cols; }
  std::size_t count() const { return entries * size(); }

  /// Contents are unspecified, apart from grid (none) and flags.
  void reset(std::size_t entry_count, Shape shape) {
    entries = entry_count;
    rows = shape.rows;
    cols = shape.cols;
    ancestors = 0;
    error_free = false;
    clean = true;
    deviations = conspiring = alike = false;
    straight.forget();
    transposed.forget();
    const std::size_t n = count() + slack;
    if (value.size() < n) {
      for (auto* a : {&value, &error, &variance, &local}) a->resize(n);
    }
    if (grid.size() < entries) grid.resize(entries);
    std::fill_n(grid.begin(), entries, no_grid);
  }

  void zero_errors() {
    error_free = true;
    for (auto* a : {&error, &variance, &local}) std::fill_n(a->begin(), count(), 0.0);
  }

  void zero_errors(std::size_t entry) {
    for (auto* a : {&error, &variance, &local})
      std::fill_n(a->begin() + static_cast<std::ptrdiff_t>(entry * size()), size(), 0.0);
  }

  void make_dirty() {
    if (!clean) return;
    clean = false;
    state.assign(count(), State::finite);
  }

  State state_of(std::size_t i) const { return clean ? State::finite : state[i]; }
};

/// Squares `variance` where it holds standard deviations.
void need_variance(Value& v);

/// Which entry of an operand entry e of a result reads.
struct EntryMap {
  std::size_t stride = 0;  ///< 0: shared
  std::size_t repeat = 1;
  std::size_t operator()(std::size_t e) const { return stride == 0 ? 0 : e / repeat; }
};

inline EntryMap entry_map(const Value& operand, const Node& node, const Node& result,
                          std::uint32_t repeat) {
  if (node.axis == Axis::shared) return {0, 1};
  const bool once = node.axis == Axis::batch && result.axis == Axis::repeated;
  return {operand.size(), once ? repeat : 1u};
}

}  // namespace ulpfuzz::bounds
