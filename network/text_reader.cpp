#include "text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file_error.hpp"
#include "float_text.hpp"
#include "nearest_op.hpp"
#include "network_reader.hpp"

namespace ulpfuzz {
namespace {

float read_float(const JsonView& v) {
  const auto x = parse_float(v.text());
  if (!x) v.refuse(fmt::format("\"{:.40}\" is no float", v.text()), float_spelling);
  return *x;
}

void read_row(const JsonView& v, std::uint32_t cols, std::vector<float>& out) {
  std::string_view rest = v.text();
  std::size_t count = 0;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    const auto x = parse_float(word);
    if (!x) v.refuse(fmt::format("\"{:.40}\" (value {}) is no float", word, count), float_spelling);
    out.push_back(*x);
    ++count;
    rest.remove_prefix(word.size());
  }
  if (count != cols)
    v.refuse(fmt::format("{} values in a row of {}", count, cols), "give one a column");
}

Op read_op(const JsonView& v) {
  const auto op = op_from(v.text());
  if (!op) v.refuse(fmt::format("unknown op \"{:.40}\"", v.text()), op_remedy(v.text()));
  return *op;
}

void read_args(const JsonView& v, std::size_t id, Node& node) {
  const std::size_t count = v.size();
  if (count > node.args.size())
    v.refuse(fmt::format("{} operands", count), "no op has more than 3");
  node.arity = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    node.args[i] = v.at(i).number();
    if (node.args[i] >= id)
      v.at(i).refuse(fmt::format("node {} does not come before node {}", node.args[i], id),
                     "operands come before their users");
  }
}

void read_shape(const JsonView& v, Node& node) {
  const Op op = node.op;
  if (has_shape(op)) {
    const JsonView shape = v.field("shape");
    if (shape.size() != 2) shape.refuse("not two numbers", "write [rows, cols]");
    node.shape = {shape.at(0).number(), shape.at(1).number()};
  }
  if (has_start(op)) node.index = v.field("start").number();
  if (has_cols(op)) node.shape.cols = v.field("cols").number();
  const auto misplaced = [&](std::string_view key, bool expected) {
    if (!expected && v.find(key))
      v.refuse(fmt::format("{} has no field \"{}\"", name(op), key), "drop it");
  };
  misplaced("shape", has_shape(op));
  misplaced("start", has_start(op));
  misplaced("cols", has_cols(op));
  misplaced("axis", op == Op::input);
  misplaced("transpose_a", op == Op::matmul);
  misplaced("transpose_b", op == Op::matmul);
  misplaced("of", op == Op::derivative);
}

Axis read_axis(const JsonView& v) {
  if (v.text() == "batch") return Axis::batch;
  if (v.text() == "repeated") return Axis::repeated;
  v.refuse(fmt::format("\"{:.40}\" is no axis of an input", v.text()), "write batch or repeated");
}

Node read_node(const JsonView& v, std::size_t id) {
  v.only({"id", "op", "args", "shape", "start", "cols", "axis", "transpose_a", "transpose_b", "of",
          "alpha"});
  if (const auto given = v.find("id"); given && given->number() != id)
    given->refuse(fmt::format("this is node {}", id), "number nodes by their place");
  Node node;
  node.op = read_op(v.field("op"));
  if (node.op == Op::parameter) node.axis = Axis::shared;
  if (const auto args = v.find("args")) read_args(*args, id, node);
  read_shape(v, node);
  if (const auto axis = v.find("axis")) node.axis = read_axis(*axis);
  if (const auto t = v.find("transpose_a")) node.transpose_a = t->flag();
  if (const auto t = v.find("transpose_b")) node.transpose_b = t->flag();
  if (node.op == Op::derivative) node.of = read_op(v.field("of"));
  node.alpha = default_alpha(node.op == Op::derivative ? node.of : node.op);
  if (const auto alpha = v.find("alpha")) node.alpha = read_float(*alpha);
  return node;
}

}  // namespace

Complain complain_at(const JsonView& v) {
  return [&v](std::string_view problem, std::string_view remedy) { v.refuse(problem, remedy); };
}

void check_version(const JsonView& document, std::string_view key) {
  const std::string_view other = key == "ulpfuzz_case" ? "ulpfuzz_network" : "ulpfuzz_case";
  if (!document.find(key) && document.find(other))
    document.refuse(fmt::format("it is marked \"{}\", not \"{}\"", other, key),
                    key == "ulpfuzz_case" ? "name a case" : "name a network, or use it as a case");
  if (!document.find(key))
    document.refuse(fmt::format("no field \"{}\", so this is no such file", key),
                    fmt::format("begin it with {{\"{}\": {}, ...", key, case_file_version));
  const JsonView v = document.field(key);
  const std::uint32_t version = v.number();
  if (version > case_file_version)
    v.refuse(fmt::format("version {} is newer than {}, the newest this program knows", version,
                         case_file_version),
             "use a newer ulpfuzz");
  if (version == 0) v.refuse("there is no version 0", "versions begin at 1");
}

Tensor read_tensor(const JsonView& v, Neighbours& files) {
  if (const auto npy = v.find("npy")) {
    v.only({"npy"});
    return files.tensor(*npy, npy->text());
  }
  v.only({"rows", "cols", "data", "npy"});
  Tensor t;
  t.rows = v.field("rows").number();
  t.cols = v.field("cols").number();
  check_dimensions(t.rows, t.cols, complain_at(v));
  const JsonView data = v.field("data");
  if (data.size() != t.rows)
    data.refuse(fmt::format("{} strings for {} rows", data.size(), t.rows), "give one a row");
  for (std::size_t r = 0; r < t.rows; ++r) read_row(data.at(r), t.cols, t.data);
  return t;
}

std::vector<Tensor> read_tensors(const JsonView& v, Neighbours& files) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0, n = v.size(); i < n; ++i) tensors.push_back(read_tensor(v.at(i), files));
  return tensors;
}

Network read_network_value(const JsonView& v) {
  v.only({"repeat", "nodes", "outputs"});
  Network network;
  if (const auto repeat = v.find("repeat"))
    set_repeat_checked(network, repeat->number(), complain_at(*repeat));
  const JsonView nodes = v.field("nodes");
  for (std::size_t id = 0, n = nodes.size(); id < n; ++id) {
    const JsonView node = nodes.at(id);
    append_checked(network, read_node(node, id), complain_at(node));
  }
  const JsonView outputs = v.field("outputs");
  for (std::size_t i = 0, n = outputs.size(); i < n; ++i)
    output_checked(network, outputs.at(i).number(), complain_at(outputs.at(i)));
  return network;
}

}  // namespace ulpfuzz
