#include "mixed.hpp"

#include <algorithm>
#include <cmath>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::bounds {
namespace {

ULPFUZZ_CLONES void larger(const double* other, std::size_t n, double* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = other[i] > y[i] ? other[i] : y[i];
}

bool same_class(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

State merged(State a, double x, State b, double y) {
  if (a == State::class_known || b == State::class_known)
    return a == b && same_class(x, y) ? a : State::unknown;
  return std::max(a, b);
}

void merge_states(const Value& other, Value& y) {
  y.make_dirty();
  for (std::size_t i = 0; i < y.count(); ++i) {
    y.state[i] = merged(y.state[i], y.value[i], other.state_of(i), other.value[i]);
    if (y.state[i] == State::unknown) y.value[i] = y.error[i] = y.variance[i] = y.local[i] = 0;
  }
}

}  // namespace

namespace {

void settle(const Value& other, Value& y) {
  if (!y.clean || !other.clean) merge_states(other, y);
  // Both rules find the same grid, or none.
  for (std::size_t e = 0; e < y.entries; ++e)
    if (other.grid[e] == no_grid) y.grid[e] = no_grid;
  y.error_free = y.error_free && other.error_free;
}

}  // namespace

void take_larger(const Value& other, Value& y) {
  larger(other.error.data(), y.count(), y.error.data());
  larger(other.variance.data(), y.count(), y.variance.data());
  larger(other.local.data(), y.count(), y.local.data());
  settle(other, y);
}

// Partial sums that carry the errors of both are larger by the product of two such shares.
void take_both(const Value& other, Value& y) {
  constexpr double together = 1 + 0x1p-6;
  for (std::size_t i = 0; i < y.count(); ++i) {
    const double more = together * other.local[i];
    y.error[i] += more;
    y.local[i] += more;
    y.variance[i] += other.variance[i];
  }
  settle(other, y);
}

}  // namespace ulpfuzz::bounds
