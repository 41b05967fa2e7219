#include <cmath>

#include "rules.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

// One run of elements of both operands, side by side with the result.
struct Run {
  const double *a, *a_error, *a_variance;
  const double *b, *b_error, *b_variance;
  double *value, *error, *variance, *local;
  std::size_t n;
};

struct Operands {
  V8 a, b, ea, eb, va, vb;
};

// Result, propagated radius, rounding and propagated variance.
struct Combined {
  V8 y, radius, local, variance;
};

template <class F>
ULPFUZZ_INLINE bool each_block(const Run& r, const Model& m, const F& combine) {
  V8 bad{};
  blocks(
      r.n, [&](std::size_t i, std::size_t live) __attribute__((always_inline)) {
        Operands o;
        load(o.a, r.a + i);
        load(o.b, r.b + i);
        load(o.ea, r.a_error + i);
        load(o.eb, r.b_error + i);
        load(o.va, r.a_variance + i);
        load(o.vb, r.b_variance + i);
        Combined c;
        combine(o, c);
        store(r.value + i, c.y, live);
        store(r.error + i, (c.radius + c.local) * inflation, live);
        store(r.variance + i, c.variance + c.local * c.local, live);
        store(r.local + i, c.local, live);
        bad += not_below(abs(c.y) + c.radius + c.local, m.omega, first_ones(live));
      });
  return !any(bad);
}

// Operands that share an ancestor may err together: then deviations add instead of variances,
// (s_a + s_b)^2 <= 2 (v_a + v_b), with equality where it matters.
ULPFUZZ_CLONES bool add_run(const Run& r, const Model& m, double together) {
  const double always = m.narrow ? 1 : 0;
  return each_block(
      r, m, [&](const Operands& o, Combined& c) __attribute__((always_inline)) {
        c.y = o.a + o.b;
        c.radius = o.ea + o.eb;
        // Zero operands make an addition exact.
        const V8 trivial = min(abs(o.a) + o.ea, abs(o.b) + o.eb) + always;
        const V8 rounding = m.u * (abs(c.y) + c.radius);
        c.local = (trivial == 0.0 ? V8{} : rounding) + (m.sum_eta + m.daz);
        c.variance = together * (o.va + o.vb);
      });
}

ULPFUZZ_CLONES bool mul_run(const Run& r, const Model& m, double together) {
  const double always = m.narrow ? 1 : 0;
  return each_block(
      r, m, [&](const Operands& o, Combined& c) __attribute__((always_inline)) {
        const V8 sa = abs(o.a), sb = abs(o.b);
        c.y = o.a * o.b;
        c.radius = sa * o.eb + sb * o.ea + o.ea * o.eb;
        // Masks: products with an exact 0, 1 or -1 do not round.
        const V8 plain = min(o.ea + abs(sa * (sa - 1.0)), o.eb + abs(sb * (sb - 1.0))) + always;
        const V8 rounding = m.u * (abs(c.y) + c.radius) + m.eta;
        c.local = (plain == 0.0 ? V8{} : rounding) + m.daz * (sa + o.ea + sb + o.eb + 1.0);
        c.variance = together * (o.a * o.a * o.vb + o.b * o.b * o.va) + o.va * o.vb;
      });
}

struct Rows {
  const Node& node;
  EntryMap a, b;
  std::size_t a_row, b_row;  // strides between feature rows; 0: broadcast
};

Rows rows_of(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
             const Value& b, std::uint32_t repeat) {
  return {node, entry_map(a, a_node, node, repeat), entry_map(b, b_node, node, repeat),
          a.rows == node.shape.rows ? a.cols : 0, b.rows == node.shape.rows ? b.cols : 0};
}

template <class F>
void each_row(const Rows& rows, const Value& y, const F& f) {
  for (std::size_t e = 0; e < y.entries; ++e)
    for (std::size_t r = 0; r < y.rows; ++r)
      f(rows.a(e) * rows.a.stride + r * rows.a_row, rows.b(e) * rows.b.stride + r * rows.b_row,
        (e * y.rows + r) * y.cols, y.cols);
}

Run run_at(const Value& a, const Value& b, Value& y, std::size_t ia, std::size_t ib, std::size_t iy,
           std::size_t n) {
  return {a.value.data() + ia,
          a.error.data() + ia,
          a.variance.data() + ia,
          b.value.data() + ib,
          b.error.data() + ib,
          b.variance.data() + ib,
          y.value.data() + iy,
          y.error.data() + iy,
          y.variance.data() + iy,
          y.local.data() + iy,
          n};
}

using RunRule = bool (*)(const Run&, const Model&, double);

bool binary(RunRule rule, const Rows& rows, const Value& a, const Value& b, Value& y,
            const Context& c) {
  const double together = (a.ancestors & b.ancestors) != 0 ? 2 : 1;
  const bool dense = rows.a.stride == a.size() && rows.b.stride == b.size() && rows.a.repeat == 1 &&
                     rows.b.repeat == 1 && a.size() == b.size();
  if (dense) return rule(run_at(a, b, y, 0, 0, 0, y.count()), c.model, together);
  bool safe = true;
  each_row(rows, y, [&](std::size_t ia, std::size_t ib, std::size_t iy, std::size_t n) {
    safe = rule(run_at(a, b, y, ia, ib, iy, n), c.model, together) && safe;
  });
  return safe;
}

template <class Combine>
void settle_grids(const Rows& rows, const Value& a, const Value& b, Value& y, const Model& m,
                  const Combine& combine) {
  bool all = true;
  for (std::size_t e = 0; e < y.entries; ++e) {
    const int ga = a.grid[rows.a(e)];
    const int gb = b.grid[rows.b(e)];
    if (ga != no_grid && gb != no_grid) {
      double top = 0;
      for (std::size_t i = e * y.size(); i < (e + 1) * y.size(); ++i)
        top = std::max(top, std::fabs(y.value[i]));
      settle_on_grid(y, e, combine(ga, gb), top, m);
    }
    all = all && y.grid[e] != no_grid;
  }
  y.error_free = all;
}

template <class Classify>
void settle_states(const Rows& rows, const Value& a, const Value& b, Value& y, const Model& m,
                   bool safe, const Classify& classify) {
  if (a.clean && b.clean && safe) return;
  y.make_dirty();
  y.error_free = false;
  each_row(rows, y, [&](std::size_t ia, std::size_t ib, std::size_t iy, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
      ClassOfSum sum(m);
      classify(sum, Operand::of(a, ia + j), Operand::of(b, ib + j));
      const std::size_t i = iy + j;
      y.state[i] = sum.finish(y.value[i], y.error[i], y.variance[i], y.local[i]);
    }
  });
}

}  // namespace

void add_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
              const Value& b, Value& y, Context& c) {
  const Rows rows = rows_of(node, a_node, b_node, a, b, c.repeat);
  const bool safe = binary(add_run, rows, a, b, y, c);
  settle_grids(rows, a, b, y, c.model, [](int ga, int gb) { return std::min(ga, gb); });
  settle_states(rows, a, b, y, c.model, safe,
                [](ClassOfSum& sum, const Operand& p, const Operand& q) {
                  sum.add(p);
                  sum.add(q);
                });
}

void mul_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
              const Value& b, Value& y, Context& c) {
  const Rows rows = rows_of(node, a_node, b_node, a, b, c.repeat);
  const bool safe = binary(mul_run, rows, a, b, y, c);
  settle_grids(rows, a, b, y, c.model, product_grid);
  settle_states(
      rows, a, b, y, c.model, safe,
      [](ClassOfSum& sum, const Operand& p, const Operand& q) { sum.add_product(p, q, false); });
}

}  // namespace ulpfuzz::bounds
