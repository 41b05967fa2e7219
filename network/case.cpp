#include "ulpfuzz/network/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

#include "reachable.hpp"
#include "shape_rules.hpp"

namespace ulpfuzz {
namespace {

template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> text, T&&... values) {
  throw std::invalid_argument("case: " + fmt::format(text, std::forward<T>(values)...));
}

void check_network(const Network& network) {
  if (network.outputs().size() != 1) {
    refuse("the network has {} outputs; one would fit", network.outputs().size());
  }
  for (const Node& node : network.nodes()) {
    if (is_derivative_op(node.op) || node.axis == Axis::repeated) {
      refuse("the network has a {} of derivative networks; one that vjp can be taken of would fit",
             name(node.op));
    }
  }
  if (network.repeat() != 1) refuse("the network has repeat {}; 1 would fit", network.repeat());
  if (network.node(network.outputs().front()).axis != Axis::batch) {
    refuse("the output is shared; a value per batch row would fit");
  }
  const std::vector<bool> seen = reachable(network);
  for (std::size_t id = 0; id < seen.size(); ++id) {
    const Node& node = network.nodes()[id];
    if (seen[id] || (node.op != Op::input && node.op != Op::parameter)) continue;
    refuse("the output does not depend on {} {}; a pruned network would fit", name(node.op),
           node.index);
  }
}

void check_tensor(const Tensor& tensor, std::string_view part, std::size_t index, std::size_t rows,
                  std::size_t cols) {
  if (tensor.rows != rows || tensor.cols != cols) {
    refuse("{} {} is {} x {}; {} x {} would fit", part, index, tensor.rows, tensor.cols, rows,
           cols);
  }
  if (tensor.data.size() != rows * cols) {
    refuse("{} {} holds {} numbers; {} would fit", part, index, tensor.data.size(), rows * cols);
  }
}

void check_count(std::size_t got, std::size_t want, std::string_view part) {
  if (got != want) refuse("there are {} {}; {} would fit", got, part, want);
}

void check_tensors(const Case& c) {
  const Network& network = c.network;
  check_count(c.parameters.size(), network.parameters().size(), "parameter tensors");
  for (std::size_t i = 0; i < c.parameters.size(); ++i) {
    const Shape shape = network.node(network.parameters()[i]).shape;
    check_tensor(c.parameters[i], "parameter", i, shape.rows, shape.cols);
  }
  check_count(c.inputs.size(), network.inputs().size(), "input tensors");
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Shape shape = network.node(network.inputs()[i]).shape;
    check_tensor(c.inputs[i], "input", i, c.batch(), shape.size());
  }
  const Tensor& v = c.cotangents;
  const bool absent = v.rows == 0 && v.cols == 0 && v.data.empty();
  if (!absent) check_tensor(v, "cotangents", 0, c.batch(), c.output_width());
}

void check_split(const Case& c) {
  for (std::size_t i = 0; i < c.split.size(); ++i) {
    for (const std::uint32_t row : c.split[i].rows) {
      if (row >= c.batch()) {
        refuse("slice {} has row {}; a row below the batch of {} would fit", i, row, c.batch());
      }
    }
  }
  const int offset = std::max(c.layout.batch_offset, c.layout.slice_offset);
  if (offset > 15) refuse("the layout has offset {}; 0 to 15 would fit", offset);
}

bool identical(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return ulpfuzz::identical(x, y); });
}

bool identical(const Network& a, const Network& b) {
  const auto same_alpha = [](const Node& x, const Node& y) {
    return std::bit_cast<std::uint32_t>(x.alpha) == std::bit_cast<std::uint32_t>(y.alpha);
  };
  return a == b && std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), same_alpha);
}

Tensor gather(const Tensor& from, const std::vector<std::uint32_t>& rows) {
  Tensor to(static_cast<std::uint32_t>(rows.size()), from.cols);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::ranges::copy(from.row(rows[r]), to.row(r).begin());
  return to;
}

template <class Keep>
std::vector<Tensor> filtered(const std::vector<Tensor>& tensors, const Keep& keep) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (keep(i)) result.push_back(tensors[i]);
  }
  return result;
}

}  // namespace

void validate(const Case& c) {
  check_network(c.network);
  check_tensors(c);
  check_split(c);
}

bool identical(const Case& a, const Case& b) {
  return identical(a.network, b.network) && identical(a.parameters, b.parameters) &&
         identical(a.inputs, b.inputs) && identical(a.cotangents, b.cotangents) &&
         a.split == b.split && a.layout == b.layout;
}

Case select_rows(const Case& c, const std::vector<std::uint32_t>& rows) {
  std::vector<std::optional<std::uint32_t>> renamed(c.batch());
  for (std::size_t r = rows.size(); r-- > 0;) {
    if (rows[r] >= c.batch()) {
      refuse("row {} is selected; a row below the batch of {} would fit", rows[r], c.batch());
    }
    renamed[rows[r]] = static_cast<std::uint32_t>(r);
  }
  Case result = c;
  for (Tensor& input : result.inputs) input = gather(input, rows);
  if (c.cotangents.rows > 0) result.cotangents = gather(c.cotangents, rows);
  result.split.clear();
  for (const Slice& slice : c.split) {
    Slice cut{{}, slice.padding};
    for (const std::uint32_t row : slice.rows) {
      if (renamed[row]) cut.rows.push_back(*renamed[row]);
    }
    if (!cut.rows.empty() || slice.rows.empty()) result.split.push_back(std::move(cut));
  }
  return result;
}

Case prune(const Case& c) {
  const std::vector<bool> keep = reachable(c.network);
  const Network& network = c.network;
  Case result = c;
  result.network = kept(network, keep);
  result.inputs = filtered(c.inputs, [&](std::size_t i) { return keep[network.inputs()[i]]; });
  result.parameters =
      filtered(c.parameters, [&](std::size_t i) { return keep[network.parameters()[i]]; });
  return result;
}

}  // namespace ulpfuzz
