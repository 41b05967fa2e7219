#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "byte_stream.hpp"
#include "case_binary.hpp"
#include "file_error.hpp"
#include "network_reader.hpp"
#include "utf8.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t checksum_size = 8;

Complain complain_at(const ByteReader& r) {
  return [&r](std::string_view problem, std::string_view) { r.refuse(problem); };
}

Op read_op(ByteReader& r) {
  const std::string word = r.text();
  const auto op = op_from(word);
  if (!op) r.refuse(fmt::format("unknown op \"{:.40}\"", as_utf8(word)));
  return *op;
}

Node read_node(ByteReader& r) {
  Node node;
  node.op = read_op(r);
  node.arity = r.u8();
  if (node.arity > node.args.size()) r.refuse(fmt::format("{} operands", node.arity));
  for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = r.u32();
  node.shape.rows = r.u32();
  node.shape.cols = r.u32();
  const std::uint8_t axis = r.u8();
  if (axis > static_cast<std::uint8_t>(Axis::repeated)) r.refuse(fmt::format("axis {}", axis));
  node.axis = static_cast<Axis>(axis);
  const std::uint8_t transposes = r.u8();
  if (transposes > 3) r.refuse(fmt::format("transposes {}", transposes));
  node.transpose_a = transposes & 1;
  node.transpose_b = transposes & 2;
  node.of = read_op(r);
  node.index = r.u32();
  node.alpha = r.f32();
  return node;
}

// What is inferred must be what is stored: one network, one file.
bool same(const Node& a, const Node& b) {
  return a == b && std::bit_cast<std::uint32_t>(a.alpha) == std::bit_cast<std::uint32_t>(b.alpha);
}

Network read_graph(ByteReader& r) {
  constexpr std::size_t least_node = 27;
  Network network;
  set_repeat_checked(network, r.u32(), complain_at(r));
  const std::size_t count = r.count(least_node);
  for (std::size_t i = 0; i < count; ++i) {
    const Node node = read_node(r);
    for (const NodeId id : node.operands())
      if (id >= i) r.refuse(fmt::format("operand {} of node {} does not come before it", id, i));
    append_checked(network, node, complain_at(r));
    if (!same(network.nodes().back(), node))
      r.refuse(fmt::format("node {} ({}) does not follow from its operands", i, name(node.op)));
  }
  for (const NodeId id : r.words(r.count(4))) output_checked(network, id, complain_at(r));
  return network;
}

Tensor read_tensor(ByteReader& r) {
  Tensor t;
  t.rows = r.u32();
  t.cols = r.u32();
  check_dimensions(t.rows, t.cols, complain_at(r));
  t.data = r.floats(std::size_t{t.rows} * t.cols);
  return t;
}

std::vector<Tensor> read_tensors(ByteReader& r) {
  std::vector<Tensor> tensors(r.count(8));
  for (Tensor& t : tensors) t = read_tensor(r);
  return tensors;
}

std::vector<Slice> read_split(ByteReader& r) {
  std::vector<Slice> split(r.count(8));
  for (Slice& slice : split) {
    slice.padding = r.u32();
    if (slice.padding > limits::empty_rows) r.refuse(fmt::format("padding {}", slice.padding));
    slice.rows = r.words(r.count(4));
  }
  return split;
}

std::map<std::string, std::string> read_notes(ByteReader& r) {
  std::map<std::string, std::string> notes;
  const std::size_t count = r.count(8);
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = r.text();
    std::string value = r.text();
    if (as_utf8(key) != key || as_utf8(value) != value) r.refuse("a note that is not UTF-8");
    if (!notes.empty() && key <= notes.rbegin()->first) r.refuse("notes out of order");
    notes.emplace_hint(notes.end(), std::move(key), std::move(value));
  }
  return notes;
}

template <class F>
auto section(ByteReader& file, Section type, F read) {
  const std::uint32_t found = file.u32();
  const auto wanted = static_cast<std::uint32_t>(type);
  if (found != wanted) file.refuse(fmt::format("section {} where {} belongs", found, wanted));
  ByteReader content = file.part(file.u64());
  auto value = read(content);
  content.end();
  return value;
}

// The version comes before the checksum: a newer format may end otherwise.
void check_head(ByteReader& r, const std::string& name) {
  const ByteReader magic = r.part(std::min(r.left(), case_magic.size()));
  if (!magic.holds(case_magic)) magic.refuse("not a binary case: it does not begin with ULPCASE");
  const std::uint32_t version = r.u32();
  if (version > case_file_version)
    refuse(name, "byte 8",
           fmt::format("version {} is newer than {}, the newest this program knows", version,
                       case_file_version),
           "use a newer ulpfuzz");
  if (version == 0) refuse(name, "byte 8", "there is no version 0", "restore the file");
}

}  // namespace

CaseFile case_from_bytes(std::span<const std::uint8_t> bytes, const std::string& name) {
  ByteReader whole(bytes, name);
  check_head(whole, name);
  if (whole.left() < checksum_size) whole.refuse("cut off before its checksum");
  const std::size_t end = bytes.size() - checksum_size;
  ByteReader r = whole.part(whole.left() - checksum_size);
  if (whole.u64() != XXH64(bytes.data(), end, 0)) {
    refuse(name, fmt::format("byte {}", end), "the checksum does not fit the content",
           "restore the file");
  }
  CaseFile file;
  Case& c = file.value;
  c.network = section(r, Section::network, read_graph);
  c.parameters = section(r, Section::parameters, read_tensors);
  c.inputs = section(r, Section::inputs, read_tensors);
  c.cotangents = section(r, Section::cotangents, read_tensor);
  c.split = section(r, Section::split, read_split);
  c.layout = section(r, Section::layout, [](ByteReader& s) {
    Layout layout;
    layout.batch_offset = s.u8();
    layout.slice_offset = s.u8();
    return layout;
  });
  file.notes = section(r, Section::notes, read_notes);
  r.end();
  check_case(c, complain_at(r));
  return file;
}

}  // namespace ulpfuzz
