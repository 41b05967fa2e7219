#include <algorithm>

#include "index_range.hpp"
#include "mutate_families.hpp"
#include "ulpfuzz/generators/dimensions.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

// No step of draw_case() appends more ops than attention: nine. First and last ops come on top.
constexpr std::size_t most_ops_a_step = 9, most_other_ops = 4;
// No value of draw_case() has more elements than the width but the scores of five tokens.
constexpr std::size_t most_scores = 25;
constexpr std::size_t most_padding = 32;

std::size_t ops(const Network& net) {
  return net.nodes().size() - net.inputs().size() - net.parameters().size();
}

bool widths_fit(const Network& net, std::uint32_t width) {
  const std::size_t cols = std::max(width, 1u), size = std::max(cols, most_scores);
  return std::ranges::all_of(net.nodes(), [&](const Node& node) {
    return node.axis == Axis::shared || (node.shape.cols <= cols && node.shape.size() <= size);
  });
}

bool split_fits(const Case& c, const Limits& limits) {
  std::size_t rows = 0;
  for (const Slice& slice : c.split) {
    if (slice.padding > most_padding) return false;
    rows += slice.rows.size() + slice.padding;
  }
  const std::size_t batch = std::max<std::size_t>(c.batch(), 1);
  return c.split.size() <= batch + 7 && rows <= 5 * batch + 8 * most_padding &&
         (limits.kind == Limits::Kind::everything || c.split.size() <= 7);
}

// Rows that work and Jacobian leave room for.
std::size_t most_rows(const Case& c, const Limits& limits) {
  std::uint64_t most = limits.work / std::max<std::uint64_t>(products(c.network), 1);
  if (limits.jacobian > 0) {
    const std::uint64_t row = c.output_width() * elements(c.network);
    most = std::min(most, limits.jacobian / std::max<std::uint64_t>(row, 1));
  }
  return std::min<std::uint64_t>(most, limits.batch);
}

Case with_rows(const Case& c, std::size_t most, Source& source) {
  if (c.batch() <= most) return c;
  const auto first = static_cast<std::uint32_t>(source.below(c.batch() - most + 1));
  return select_rows(c, index_range(first, first + static_cast<std::uint32_t>(most)));
}

// The largest dimension cut to half, or to the width.
Case narrowed(const Case& c, const Limits& limits) {
  const auto all = dimensions(c);
  const Dimension* widest = nullptr;
  for (const Dimension& d : all) {
    if (d.kind != Dimension::Kind::columns && d.kind != Dimension::Kind::rows) continue;
    if (widest == nullptr || d.size > widest->size) widest = &d;
  }
  if (widest == nullptr || widest->size < 2) return c;
  const std::uint32_t size = std::min(widest->size / 2, std::max(limits.width, 1u));
  return resized(c, *widest, size).value_or(c);
}

}  // namespace

std::uint64_t products(const Network& network) {
  std::uint64_t total = 0;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    const Shape a = network.node(node.args[0]).shape;
    const bool turned = node.op == Op::matmul && node.transpose_a;
    total += std::uint64_t{node.shape.size()} * (turned ? a.rows : a.cols);
  }
  return total;
}

std::uint64_t elements(const Network& network) {
  std::uint64_t total = 0;
  for (const NodeId id : network.inputs()) total += network.node(id).shape.size();
  for (const NodeId id : network.parameters()) total += network.node(id).shape.size();
  return total;
}

bool has_its_cotangents(const Case& c, const Limits& limits) {
  const Tensor& v = c.cotangents;
  if (limits.jacobian == 0) return v.rows == 0 && v.cols == 0;
  return v.rows == c.batch() && v.cols == c.output_width();
}

void complete(Case& c, const Limits& limits, Source& source) {
  if (c.split.empty()) c.split.emplace_back();
  if (limits.jacobian == 0) {
    c.cotangents = {};
  } else if (!has_its_cotangents(c, limits)) {
    c.cotangents =
        Tensor(static_cast<std::uint32_t>(c.batch()), static_cast<std::uint32_t>(c.output_width()));
    Words words(source.next());
    fill_normal(c.cotangents.data, 1, words);
  }
}

bool within(const Case& c, const Limits& limits) {
  const std::size_t most = most_ops_a_step * limits.depth + most_other_ops;
  return c.batch() <= most_rows(c, limits) && ops(c.network) <= most &&
         widths_fit(c.network, limits.width) && split_fits(c, limits);
}

Case fitted(const Case& c, Source& source, const Limits& limits) {
  Case result = c;
  for (int tries = 0; tries < 24 && !within(result, limits); ++tries) {
    const std::size_t rows = most_rows(result, limits);
    const bool narrow =
        widths_fit(result.network, limits.width) && (rows > 0 || result.batch() == 0);
    if (!narrow) {
      result = narrowed(result, limits);
    } else if (rows < result.batch()) {
      result = with_rows(result, rows, source);
    } else if (!split_fits(result, limits)) {
      result = redrawn_split(result, source, limits);
    } else {
      result = deleted_op(result, source, limits);
    }
  }
  if (!within(result, limits)) return draw_case(source, limits);
  complete(result, limits, source);
  return result;
}

}  // namespace ulpfuzz::generators
