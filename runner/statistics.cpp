#include "ulpfuzz/runner/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace ulpfuzz {
namespace {

constexpr int least_octave = -23;  // of the shares that have bins of their own
constexpr int most_octave = 7;
static_assert(share_bins == most_octave - least_octave + 4);
static_assert(op_count <= 64);

/// Floats of a tensor that are looked at: to look at all of a large one would cost a good part of
/// its evaluation, and what is drawn into it lies in many places.
constexpr std::size_t most_looked_at = 256;

constexpr std::uint32_t bit(ValueClass c) { return 1u << static_cast<unsigned>(c); }

std::uint32_t class_of(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent == 0) {
    if (magnitude != 0) return bit(ValueClass::subnormal);
    return bit(bits == 0 ? ValueClass::zero : ValueClass::negative_zero);
  }
  if (exponent == 255)
    return bit(magnitude == 0x7f800000u ? ValueClass::infinity : ValueClass::nan);
  if (exponent >= 127 + 64) return bit(ValueClass::huge);
  return bit(exponent < 127 - 64 ? ValueClass::tiny : ValueClass::normal);
}

std::uint32_t classes_in(std::span<const float> values) {
  // Odd, so that rows of even width are not met in the same columns again and again.
  const std::size_t step = values.size() <= most_looked_at ? 1 : values.size() / most_looked_at | 1;
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < values.size(); i += step)
    classes |= class_of(std::bit_cast<std::uint32_t>(values[i]));
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

std::string_view name(ValueClass c) {
  static constexpr std::array<std::string_view, value_classes> names{
      "normal", "zero", "negative_zero", "subnormal", "huge", "tiny", "infinity", "nan"};
  const auto at = static_cast<std::size_t>(c);
  return at < names.size() ? names[at] : std::string_view();
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
