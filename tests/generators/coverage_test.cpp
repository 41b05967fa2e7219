#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {
namespace {

using Counters = std::map<std::string, int>;

// What a reader of the case sees, whatever the recipe meant.
void count_values(const Tensor& t, const std::string& what, Counters& seen) {
  const auto note = [&](bool hit, const char* name) { seen[what + name] += hit ? 1 : 0; };
  const auto any = [&](auto f) { return std::ranges::any_of(t.data, f); };
  const auto all = [&](auto f) { return t.data.size() > 3 && std::ranges::all_of(t.data, f); };
  const auto equals = [](float v) { return [v](float x) { return std::abs(x) == v; }; };
  note(any([](float x) { return std::isnan(x); }), "nan");
  note(any([](float x) { return std::isinf(x); }), "inf");
  note(any([](float x) { return x == 0 && std::signbit(x); }), "-0");
  note(any([](float x) { return x == 0 && !std::signbit(x); }), "+0");
  note(any([](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }), "subnormal");
  note(any(equals(1 + 0x1p-10f)) && any(equals(1 + 0x1p-7f)), "witness of tf32 and bf16");
  note(any(equals(1 + 0x1p-12f)) && any(equals(1 + 0x1p-8f)), "finer witness");
  note(any([](float x) { return x > 2048 && x < 5000 && x == std::floor(x); }), "above 2048");
  note(all([](float x) { return std::abs(x) <= 8 && x == std::floor(x); }), "small integers");
  note(all([](float x) {
         int e = 0;
         return x != 1 && std::abs(std::frexp(x, &e)) == 0.5f;
       }),
       "powers of two");
  note(all([](float x) { return x > 0 && x < 1; }), "positive");
  note(all([](float x) { return x == 1; }), "ones");
  note(all([](float x) { return std::isnormal(x); }) &&
           any([](float x) { return std::abs(x) > 0x1p60f; }) &&
           any([](float x) { return std::abs(x) < 0x1p-60f; }),
       "all exponents");
  note(any([](float x) { return std::abs(x) > 1e9f && std::abs(x) < 1e11f; }) &&
           any([](float x) { return std::abs(x) < 10; }),
       "huge among small");
  note(all([&](float x) { return x > 8 && std::abs(x - t.data[0]) < 2; }) &&
           any([&](float x) { return x != t.data[0]; }),
       "large mean, small spread");
}

void count_rows(const Tensor& t, Counters& seen) {
  const auto same = [](std::span<const float> a, std::span<const float> b) {
    return a.size() > 1 && std::ranges::equal(a, b);
  };
  const auto constant = [](std::span<const float> a) {
    return a.size() > 2 && a[0] != 0 && std::ranges::all_of(a, [&](float x) { return x == a[0]; });
  };
  std::size_t equal = 0, constants = 0, nans = 0, normals = 0, cancelling = 0, zeros = 0;
  for (std::size_t r = 0; r < t.rows; ++r) {
    const auto row = t.row(r);
    equal += r > 0 && same(row, t.row(r - 1)) && !constant(row) ? 1 : 0;
    constants += constant(row) ? 1 : 0;
    nans += std::ranges::any_of(row, [](float x) { return std::isnan(x); }) ? 1 : 0;
    normals += std::ranges::all_of(row, [](float x) { return std::isnormal(x); }) ? 1 : 0;
    zeros += row.size() > 1 && std::ranges::count(row, 0.0f) == std::ssize(row) ? 1 : 0;
    cancelling +=
        row.size() > 3 && row[0] != 0 && row[0] == -row.back() && row[1] != row[0] ? 1 : 0;
  }
  const auto note = [&](bool hit, const char* name) { seen[name] += hit ? 1 : 0; };
  note(equal > 0, "equal rows");
  note(constants > 0 && constants == t.rows, "constant rows");
  note(constants == 1 && t.rows > 2, "a constant row among others");
  note(nans == 1 && normals > 1, "a nan row among normal rows");
  note(zeros == 1 && normals > 1, "a zero row among normal rows");
  note(cancelling > 0, "cancelling rows");
}

void count_split(const Case& c, Counters& seen) {
  const auto& s = c.split;
  const std::size_t n = c.batch();
  std::vector<std::uint32_t> order;
  for (const Slice& slice : s) order.insert(order.end(), slice.rows.begin(), slice.rows.end());
  const auto sorted = std::ranges::is_sorted(order);
  const std::set<std::uint32_t> rows(order.begin(), order.end());
  const auto note = [&](bool hit, const char* name) { seen[name] += hit ? 1 : 0; };
  const auto ends = [&](std::size_t a, std::size_t b) {
    return n > 3 && s.size() == 2 && s[0].rows.size() == a && s[1].rows.size() == b && sorted;
  };
  note(s.size() == 1 && n > 1 && order.size() == n, "whole");
  note(n > 2 && s.size() == n && sorted && rows.size() == n, "singles");
  note(ends(n / 2, n - n / 2), "halves");
  note(ends(n - 1, 1), "n-1|1");
  note(ends(1, n - 1), "1|n-1");
  note(s.size() > 2 && sorted && rows.size() == n && s[0].rows.size() != s[1].rows.size(),
       "ragged");
  note(order.size() > n && !sorted, "prefixes");
  note(!sorted && order.size() == n && rows.size() == n, "permuted");
  const auto empty = [](const Slice& x) { return x.rows.empty(); };
  note(n > 0 && std::ranges::any_of(s, empty), "empty slice");
  note(std::ranges::any_of(s, [](const Slice& x) { return x.padding > 0; }), "padding");
  note(c.layout.batch_offset != c.layout.slice_offset, "offsets that differ");
}

void count_network(const Case& c, Counters& seen) {
  const Network& net = c.network;
  std::map<NodeId, int> uses;
  for (const Node& n : net.nodes()) {
    seen["op " + std::string(name(n.op))] += 1;
    for (const NodeId arg : n.operands()) ++uses[arg];
    if (n.op == Op::linear) {
      seen["inner " + std::to_string(net.node(n.args[0]).shape.cols)] += 1;
      seen["outputs " + std::to_string(n.shape.cols)] += 1;
      seen[n.arity == 3 ? "bias" : "no bias"] += 1;
      seen["several feature rows"] += n.shape.rows > 1 ? 1 : 0;
    }
    if (n.op != Op::matmul) continue;
    const bool shared =
        net.node(n.args[0]).axis == Axis::shared || net.node(n.args[1]).axis == Axis::shared;
    seen[shared ? "matmul by a parameter" : "matmul of two activations"] += 1;
  }
  for (const NodeId p : net.parameters()) seen["shared parameter"] += uses[p] > 1 ? 1 : 0;
  seen["two inputs"] += net.inputs().size() > 1 ? 1 : 0;
  seen["batch " + std::to_string(c.batch())] += 1;
}

// Pre-activations of relu-like ops on the input that are 0 exactly, and such that are a few ulps
// off.
void count_kinks(const Case& c, Counters& seen) {
  const Network& net = c.network;
  for (const Node& n : net.nodes()) {
    if (n.op != Op::relu && n.op != Op::leaky_relu && n.op != Op::elu) continue;
    const Node& z = net.node(n.args[0]);
    if (z.op != Op::linear || z.arity != 3 || net.node(z.args[0]).op != Op::input) continue;
    const Tensor& x = c.inputs[net.node(z.args[0]).index];
    const Tensor& w = c.parameters[net.node(z.args[1]).index];
    const Tensor& b = c.parameters[net.node(z.args[2]).index];
    if (x.cols != w.cols || w.cols == 0) continue;
    for (std::size_t r = 0; r < x.rows; ++r) {
      for (std::size_t j = 0; j < w.rows; ++j) {
        double sum = b.data[j], size = std::abs(sum);
        for (std::size_t k = 0; k < w.cols; ++k) {
          sum += double{w.row(j)[k]} * x.row(r)[k];
          size += std::abs(double{w.row(j)[k]} * x.row(r)[k]);
        }
        seen["on a kink"] += size > 0 && sum == 0 ? 1 : 0;
        seen["near a kink"] += sum != 0 && std::abs(sum) < size * 0x1p-20 ? 1 : 0;
      }
    }
  }
}

Counters survey(std::uint64_t cases) {
  Counters seen;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case c = case_from_seed(41, i, i % 4 == 3 ? gradient_limits() : Limits{});
    for (const Tensor& t : c.inputs) count_values(t, "input: ", seen);
    for (const Tensor& t : c.parameters) count_values(t, "parameter: ", seen);
    count_rows(c.inputs[0], seen);
    count_split(c, seen);
    count_network(c, seen);
    count_kinks(c, seen);
  }
  return seen;
}

TEST(Coverage, ReachesEveryClassOfValuesSizesSplitsAndOps) {
  Counters seen = survey(20'000);
  const auto is_size = [](const std::string& name) {
    return name.starts_with("batch ") || name.starts_with("inner ") || name.starts_with("outputs ");
  };
  for (const auto& [name, hits] : seen)
    EXPECT_TRUE(hits >= 3 || is_size(name)) << name << " " << hits;
  const auto hit = [&](const std::string& name) { EXPECT_GE(seen[name], 3) << name; };
  for (int op = 0; op < static_cast<int>(Op::derivative); ++op) {
    hit("op " + std::string(name(static_cast<Op>(op))));
  }
  for (const std::string size : {"batch ", "inner ", "outputs "}) {
    for (const int n : {0, 1, 2, 3, 4, 5}) hit(size + std::to_string(n));
    for (int tile = 4; tile <= 128; tile *= 2) {
      for (const int n : {tile - 1, tile, tile + 1}) hit(size + std::to_string(n));
    }
  }
}

TEST(Coverage, IsMostlyFiniteWellScaledData) {
  int tame = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Case c = case_from_seed(42, i);
    const auto mild = [](const Tensor& t) {
      return std::ranges::all_of(t.data, [](float x) { return std::abs(x) < 10; });
    };
    tame += std::ranges::all_of(c.inputs, mild) && std::ranges::all_of(c.parameters, mild) ? 1 : 0;
  }
  EXPECT_GT(tame, 2100);
  EXPECT_LT(tame, 2800);
}

}  // namespace
}  // namespace ulpfuzz::generators
