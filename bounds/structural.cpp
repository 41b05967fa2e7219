#include "rules.hpp"

namespace ulpfuzz::bounds {
namespace {

void copy_elements(const Value& x, std::size_t from, Value& y, std::size_t to, std::size_t n) {
  const auto move = [&](const auto& source, auto& target) {
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), n,
                target.begin() + static_cast<std::ptrdiff_t>(to));
  };
  move(x.value, y.value);
  move(x.error, y.error);
  move(x.variance, y.variance);
  move(x.local, y.local);
  if (!x.clean) move(x.state, y.state);
}

void zero_all(Value& y) {
  std::fill_n(y.value.begin(), y.count(), 0.0);
  y.zero_errors();
}

}  // namespace

void need_variance(Value& v) {
  if (!v.deviations) return;
  for (std::size_t i = 0; i < v.count(); ++i) v.variance[i] *= v.variance[i];
  v.deviations = false;
}

void concat_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
                 const Value& b, Value& y, Context& c) {
  const EntryMap left = entry_map(a, a_node, node, c.repeat);
  const EntryMap right = entry_map(b, b_node, node, c.repeat);
  if (!a.clean || !b.clean) y.make_dirty();
  for (std::size_t e = 0; e < y.entries; ++e) {
    for (std::size_t r = 0; r < y.rows; ++r) {
      const std::size_t at = (e * y.rows + r) * y.cols;
      copy_elements(a, left(e) * left.stride + r * a.cols, y, at, a.cols);
      copy_elements(b, right(e) * right.stride + r * b.cols, y, at + a.cols, b.cols);
    }
    y.grid[e] = std::min(a.grid[left(e)], b.grid[right(e)]);
  }
  y.error_free = a.error_free && b.error_free;
}

void reshape_rule(const Value& x, Value& y) {
  if (!x.clean) y.make_dirty();
  copy_elements(x, 0, y, 0, y.count());
  std::copy_n(x.grid.begin(), x.entries, y.grid.begin());
  y.error_free = x.error_free;
}

void columns_rule(const Node& node, const Value& x, Value& y) {
  const bool cut = node.op == Op::slice;
  zero_all(y);
  if (!x.clean) y.make_dirty();
  for (std::size_t r = 0; r < y.entries * y.rows; ++r) {
    const std::size_t skip = node.index;
    if (cut) {
      copy_elements(x, r * x.cols + skip, y, r * y.cols, y.cols);
    } else {
      copy_elements(x, r * x.cols, y, r * y.cols + skip, x.cols);
    }
  }
  std::copy_n(x.grid.begin(), x.entries, y.grid.begin());
  y.error_free = x.error_free;
}

void basis_rule(Value& y, Context& c) {
  zero_all(y);
  const bool every_row = c.repeat != y.size();
  for (std::size_t e = 0; e < y.entries; ++e) {
    const std::size_t t = e % c.repeat;
    const std::size_t rows = every_row ? y.rows : 1;
    for (std::size_t r = 0; r < rows; ++r) y.value[e * y.size() + r * y.cols + t] = 1;
    y.grid[e] = 0;
  }
}

void unit_tangents_rule(const Node&, const Value& h, Value& y, Context& c) {
  zero_all(y);
  if (!h.clean) y.make_dirty();
  for (std::size_t e = 0; e < y.entries; ++e) {
    const std::size_t t = e % c.repeat;
    const std::size_t source = e / c.repeat;
    const std::size_t column = t / h.cols;
    for (std::size_t r = 0; r < y.rows; ++r)
      copy_elements(h, (source * h.rows + r) * h.cols + t % h.cols, y,
                    (e * y.rows + r) * y.cols + column, 1);
    y.grid[e] = h.grid[source];
  }
  y.error_free = h.error_free;
}

}  // namespace ulpfuzz::bounds
