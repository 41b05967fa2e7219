#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "case_text.hpp"
#include "float_text.hpp"
#include "network_reader.hpp"

namespace ulpfuzz {
namespace {

// The layout is ours, not the JSON library's: one node, tensor row or slice a line.
class Writer {
 public:
  std::string text;

  void put(std::string_view s) { text += s; }
  template <class... Args>
  void putf(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  }

  /// "[", each item by `write` on lines of its own, "]" at `indent`.
  template <class Items, class F>
  void list(const Items& items, std::string_view indent, F write) {
    put("[");
    bool first = true;
    for (const auto& item : items) {
      put(first ? "\n" : ",\n");
      first = false;
      put(indent);
      put("  ");
      write(item);
    }
    if (!first) {
      put("\n");
      put(indent);
    }
    put("]");
  }
};

void write_string(Writer& w, const std::string& s) {
  w.put(nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void write_float(Writer& w, float x) {
  w.put("\"");
  append_float(w.text, x);
  w.put("\"");
}

void write_ids(Writer& w, std::span<const NodeId> ids) {
  std::string_view separator = "[";
  for (const NodeId id : ids) {
    w.putf("{}{}", separator, id);
    separator = ", ";
  }
  w.put(ids.empty() ? "[]" : "]");
}

void write_node(Writer& w, const Node& node, std::size_t id) {
  w.putf(R"({{"id": {}, "op": "{}")", id, name(node.op));
  if (node.arity > 0) {
    w.put(R"(, "args": )");
    write_ids(w, node.operands());
  }
  if (has_shape(node.op)) w.putf(R"(, "shape": [{}, {}])", node.shape.rows, node.shape.cols);
  if (has_start(node.op)) w.putf(R"(, "start": {})", node.index);
  if (has_cols(node.op)) w.putf(R"(, "cols": {})", node.shape.cols);
  if (node.op == Op::input && node.axis == Axis::repeated) w.put(R"(, "axis": "repeated")");
  if (node.transpose_a) w.put(R"(, "transpose_a": true)");
  if (node.transpose_b) w.put(R"(, "transpose_b": true)");
  if (node.op == Op::derivative) w.putf(R"(, "of": "{}")", name(node.of));
  if (has_alpha(node) || !same_bits(node.alpha, 0.0f)) {
    w.put(R"(, "alpha": )");
    write_float(w, node.alpha);
  }
  w.put("}");
}

void write_network(Writer& w, const Network& network) {
  w.put("\"network\": {\n");
  if (network.repeat() != 1) w.putf("    \"repeat\": {},\n", network.repeat());
  w.put("    \"nodes\": ");
  std::size_t id = 0;
  w.list(network.nodes(), "    ", [&](const Node& node) { write_node(w, node, id++); });
  w.put(",\n    \"outputs\": ");
  write_ids(w, network.outputs());
  w.put("\n  }");
}

void write_tensor(Writer& w, const Tensor& t, std::string_view indent) {
  w.putf(R"({{"rows": {}, "cols": {}, "data": )", t.rows, t.cols);
  std::vector<std::span<const float>> rows(t.rows);
  for (std::size_t r = 0; r < t.rows; ++r) rows[r] = t.row(r);
  w.list(rows, indent, [&](std::span<const float> row) {
    w.put("\"");
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) w.put(" ");
      append_float(w.text, row[i]);
    }
    w.put("\"");
  });
  w.put("}");
}

void write_tensors(Writer& w, std::string_view key, const std::vector<Tensor>& tensors) {
  w.putf("  \"{}\": ", key);
  w.list(tensors, "  ", [&](const Tensor& t) { write_tensor(w, t, "    "); });
}

// "0-4,7,9": ascending runs of three and more are shortened, all else is spelled out.
void write_rows(Writer& w, const std::vector<std::uint32_t>& rows) {
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (i > 0) w.put(",");
    w.putf("{}", rows[i]);
    if (end - i < 3) end = i + 1;
    if (end - i > 1) w.putf("-{}", rows[end - 1]);
    i = end;
  }
}

void write_notes(Writer& w, const std::map<std::string, std::string>& notes) {
  w.put("  \"notes\": {");
  bool first = true;
  for (const auto& [key, value] : notes) {
    w.put(first ? "\n    " : ",\n    ");
    first = false;
    write_string(w, key);
    w.put(": ");
    write_string(w, value);
  }
  w.put(first ? "}" : "\n  }");
}

}  // namespace

std::string to_text(const CaseFile& file) {
  const Case& c = file.value;
  Writer w;
  w.putf("{{\n  \"ulpfuzz_case\": {},\n", case_file_version);
  write_notes(w, file.notes);
  w.put(",\n  ");
  write_network(w, c.network);
  w.put(",\n");
  write_tensors(w, "parameters", c.parameters);
  w.put(",\n");
  write_tensors(w, "inputs", c.inputs);
  w.put(",\n  \"cotangents\": ");
  write_tensor(w, c.cotangents, "  ");
  w.put(",\n  \"split\": ");
  w.list(c.split, "  ", [&](const Slice& slice) {
    w.put("{\"rows\": \"");
    write_rows(w, slice.rows);
    w.putf("\", \"padding\": {}}}", slice.padding);
  });
  w.putf(",\n  \"layout\": {{\"batch_offset\": {}, \"slice_offset\": {}}}\n}}\n",
         c.layout.batch_offset, c.layout.slice_offset);
  return std::move(w.text);
}

std::string to_text(const NetworkFile& file) {
  Writer w;
  w.putf("{{\n  \"ulpfuzz_network\": {},\n  ", case_file_version);
  write_network(w, file.network);
  w.put(",\n");
  write_tensors(w, "parameters", file.parameters);
  w.put("\n}\n");
  return std::move(w.text);
}

}  // namespace ulpfuzz
