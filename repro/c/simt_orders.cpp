#include <fmt/format.h>

#include <algorithm>

#include "simt.hpp"

namespace ulpfuzz::repro {
namespace {

// Gemv and slices of kernels/product.hpp.
const std::string lanes =
    R"(// How a kernel adds the terms of a product up: term q goes to lane q / vector % lanes; lanes are
// added by halves, in warps of 32.
struct Order {
  int lanes = 1, vector = 4;
  bool bias_first = false;
};

template <class A, class B>
DEVICE float add_up(const Order& order, int from, int to, float first, A a, B b) {
  float lane[128] = {first};
  for (int q = from; q < to; ++q) {
    float& sum = lane[q / order.vector % order.lanes];
    sum = std::fma(a(q), b(q), sum);
  }
  for (int warp = 0; warp < order.lanes; warp += 32)
    for (int half = (order.lanes < 32 ? order.lanes : 32) / 2; half > 0; half /= 2)
      for (int l = warp; l < warp + half; ++l) lane[l] += lane[l + half];
  return order.lanes < 128 ? lane[0] : (lane[0] + lane[64]) + (lane[32] + lane[96]);
})";

// Split-K and stream-K.
const std::string parts =
    R"(// In parts, which are added one after the other: `splits` of each tile's steps along k, or `blocks`
// of the steps of all tiles (stream-K).
struct Parts {
  int splits = 1, depth = 8, blocks = 0;
};

DEVICE int begin_of(int part, int parts, int steps) {
  return steps / parts * part + (part < steps % parts ? part : steps % parts);
}

template <class A, class B>
DEVICE float add_parts(const Order& order, const Parts& by, int k, int tile, int tiles, float first,
                       A a, B b) {
  const int steps = (k + by.depth - 1) / by.depth, before = by.blocks > 0 ? tile * steps : 0;
  const int all = by.blocks > 0 ? tiles * steps : steps;
  const int wanted = by.blocks > 0 ? by.blocks : by.splits, parts = wanted < all ? wanted : all;
  float total = first;
  bool begun = false;
  for (int part = 0; part < parts; ++part) {
    int from = begin_of(part, parts, all) - before, to = begin_of(part + 1, parts, all) - before;
    from = from > 0 ? from * by.depth : 0;
    to = to * by.depth < k ? to * by.depth : k;
    if (from >= to) continue;
    const float sum = add_up(order, from, to, from == 0 ? first : 0, a, b);
    total = begun ? total + sum : sum;
    begun = true;
  }
  return total;
})";

// As simt_fp32.cpp chooses for cublas-fp32.
const std::string order_of = R"(DEVICE Order order_of(int m, int n, int k, int entries) {
  Order o;
  const bool split = k >= 96 && m * n * entries <= 4096;
  if (m == 1 && k >= 64) {
    o.lanes = 128;
  } else if (m == 1 && k >= 16) {
    o.lanes = 32;
    o.vector = 1;
  } else if (n == 1 && k >= 16) {
    o.lanes = 32;
  } else if (!split && m <= 4) {
    o.lanes = 4;
  } else if (k < 64 && m > 16 && m <= 32) {
    o.lanes = 2;
    o.bias_first = true;
  }
  return o;
})";

const std::string parts_of = R"(DEVICE Parts parts_of(int m, int n, int k, int entries) {
  Parts p;
  if (m == 1 || n == 1 || k < 64) return p;
  if (k >= 96 && m * n * entries <= 4096) {
    p.splits = 4;
    p.depth = 16;
  } else if (m > 4) {
    p.blocks = 6;
  }
  return p;
})";

struct Sizes {
  std::size_t m, n, k, entries;
};

Sizes sizes_of(const KernelId& id, const std::vector<std::size_t>& s) {
  if (id.op == Op::linear) return {s[0], s[2], s[1], 1};
  if (id.op == Op::outer_sum) return {s[1], s[2], s[0], 1};
  if (id.each) return {s[1], s[3], s[2], s[0]};
  return {s[0], s[2], s[1], 1};
}

bool has_parts(const KernelId& id, const Uses& uses) {
  return std::any_of(uses.begin(), uses.end(), [&id](const auto& u) {
    const Sizes s = sizes_of(id, u);
    return s.m > 1 && s.n > 1 && s.k >= 64;
  });
}

}  // namespace

void adapt_order(Kernel& kernel, const KernelId& id, const Uses& uses) {
  const Terms t = terms_of(id);
  const bool with_parts = has_parts(id, uses);
  const std::string row = id.op == Op::linear ? "r" : "i";
  const std::string entry = id.each ? "e" : "0";
  const std::string shape = fmt::format("{}, {}, {}, {}", t.m, t.n, t.k, id.each ? "entries" : "1");
  const std::string first = id.bias ? "order.bias_first ? bias[j] : 0" : "0";
  const std::string terms =
      fmt::format("[&](int q) {{ return {}; }}, [&](int q) {{ return {}; }}", t.a, t.b);
  Lines sum = {fmt::format("const Order order = order_of({});", shape)};
  if (with_parts) {
    sum.push_back(
        fmt::format("const int across = ({} + 31) / 32, down = ({} + 31) / 32;", t.n, t.m));
    sum.push_back(
        fmt::format("const int tile = ({} * down + {} / 32) * across + j / 32;", entry, row));
    sum.push_back("float sum =");
    sum.push_back(
        fmt::format("    add_parts(order, parts_of({}), {}, tile, {} * down * across, {}, {});",
                    shape, t.k, id.each ? "entries" : "1", first, terms));
  } else {
    sum.push_back(fmt::format("{}float sum = add_up(order, 0, {}, {}, {});",
                              id.bias ? "" : "const ", t.k, first, terms));
  }
  kernel.body = product_body(id, sum, id.bias ? "order.bias_first ? sum : sum BIAS" : "sum");
  kernel.helpers = {lanes, order_of};
  if (with_parts) kernel.helpers.insert(kernel.helpers.end(), {parts, parts_of});
}

}  // namespace ulpfuzz::repro
