#include "ulpfuzz/runner/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz {
namespace {

constexpr int least_octave = -23;  // of the shares that have bins of their own
constexpr int most_octave = 7;
static_assert(share_bins == most_octave - least_octave + 4);
static_assert(op_count <= 64);

/// Floats that are looked at of a tensor: all of a small one; of a large one some blocks, evenly
/// spread, because all would cost a good part of its evaluation, and what is drawn into it lies in
/// many places.
constexpr std::size_t most_looked_at = 4096;
constexpr std::size_t block = 32;

constexpr std::uint32_t bit(ValueClass c) { return 1u << static_cast<unsigned>(c); }

// Written so that it vectorises. Most tensors have nothing but normal numbers.
ULPFUZZ_CLONES std::uint32_t count_normal(const float* x, std::size_t count) {
  std::uint32_t normal = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t size = std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffu;
    normal += size - search::normal_bits < search::huge_bits - search::normal_bits ? 1u : 0u;
  }
  return normal;
}

std::uint32_t classes_of(const float* x, std::size_t count) {
  const std::uint32_t normal = count_normal(x, count);
  std::uint32_t classes = normal > 0 ? bit(ValueClass::normal) : 0;
  for (std::size_t i = 0; normal < count && i < count; ++i)
    classes |= bit(search::value_class(x[i]));
  return classes;
}

std::uint32_t classes_in(const std::vector<float>& values) {
  if (values.size() <= most_looked_at) return classes_of(values.data(), values.size());
  const std::size_t step = (values.size() - block) / (most_looked_at / block - 1);
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < most_looked_at / block; ++i)
    classes |= classes_of(values.data() + i * step, block);
  return classes;
}

struct Extent {
  std::uint64_t ops = 0;  ///< a bit each
  std::uint32_t depth = 0;
  std::size_t width = 0;
};

Extent extent_of(const Network& network) {
  static thread_local std::vector<std::uint32_t> depths;
  depths.clear();
  Extent e;
  for (const Node& node : network.nodes()) {
    e.ops |= std::uint64_t{1} << static_cast<unsigned>(node.op);
    std::uint32_t depth = node.op == Op::input || node.op == Op::parameter ? 0 : 1;
    for (const NodeId id : node.operands()) depth = std::max(depth, depths[id] + 1);
    depths.push_back(depth);
    e.depth = std::max(e.depth, depth);
    if (node.axis != Axis::shared) e.width = std::max(e.width, node.shape.size());
  }
  return e;
}

template <class Array>
void add_up(Array& to, const Array& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

bool is_measured(const Verdict& verdict) {
  if (verdict.outcome == Outcome::pass) return true;
  return verdict.failure == FailureClass::beyond_bound ||
         verdict.failure == FailureClass::nonfinite_mismatch ||
         verdict.failure == FailureClass::not_bitwise;
}

std::size_t share_bin(double share) {
  if (!(share > 0)) return 0;
  if (share >= std::ldexp(1.0, most_octave + 1)) return share_bins - 1;
  const int octave = std::ilogb(share);
  return octave < least_octave ? 1 : static_cast<std::size_t>(octave - least_octave + 2);
}

std::string share_bin_name(std::size_t bin) {
  if (bin == 0) return "0";
  if (bin == 1) return fmt::format("< 2^{}", least_octave);
  if (bin >= share_bins - 1) return fmt::format(">= 2^{}", most_octave + 1);
  const int octave = static_cast<int>(bin) - 2 + least_octave;
  return fmt::format("2^{} .. 2^{}", octave, octave + 1);
}

std::size_t size_bin(std::uint64_t size) {
  if (size <= 1) return 0;
  return std::min<std::size_t>(size_bins - 1, static_cast<std::size_t>(std::bit_width(size - 1)));
}

std::string size_bin_name(std::size_t bin) {
  if (bin < 2) return std::to_string(bin + 1);
  const std::uint64_t first = (std::uint64_t{1} << (bin - 1)) + 1;
  if (bin >= size_bins - 1) return fmt::format("{}..", (1u << (size_bins - 2)) + 1);
  return fmt::format("{}..{}", first, std::uint64_t{1} << bin);
}

void Statistics::add(const Case& c, const Verdict& verdict) {
  const Extent extent = extent_of(c.network);
  for (std::uint64_t left = extent.ops; left != 0; left &= left - 1)
    ++ops[static_cast<std::size_t>(std::countr_zero(left))];
  std::uint32_t classes = 0;
  for (const Tensor& t : c.parameters) classes |= classes_in(t.data);
  for (const Tensor& t : c.inputs) classes |= classes_in(t.data);
  for (std::uint32_t left = classes; left != 0; left &= left - 1)
    ++values[static_cast<std::size_t>(std::countr_zero(left))];
  ++batches[size_bin(c.batch())];
  ++slices[size_bin(c.split.size())];
  const std::size_t depth = size_bin(extent.depth);
  const std::size_t width = size_bin(extent.width);
  ++sizes[depth][width];
  if (is_measured(verdict)) worst[depth][width] = std::max(worst[depth][width], verdict.share);
}

void Statistics::add(const Statistics& other) {
  add_up(ops, other.ops);
  add_up(values, other.values);
  add_up(batches, other.batches);
  add_up(slices, other.slices);
  for (std::size_t d = 0; d < size_bins; ++d) {
    add_up(sizes[d], other.sizes[d]);
    for (std::size_t w = 0; w < size_bins; ++w)
      worst[d][w] = std::max(worst[d][w], other.worst[d][w]);
  }
}

}  // namespace ulpfuzz
