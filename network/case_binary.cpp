#include "case_binary.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <limits>

#include "byte_stream.hpp"
#include "file_error.hpp"
#include "utf8.hpp"

namespace ulpfuzz {
namespace {

// Section: u32 type, u64 length, content. The types come in the order of the enum, each once.
template <class F>
void section(ByteWriter& w, Section type, F write) {
  w.u32(static_cast<std::uint32_t>(type));
  const std::size_t length_at = w.bytes.size();
  w.u64(0);
  write();
  ByteWriter length;
  length.u64(w.bytes.size() - length_at - 8);
  std::copy(length.bytes.begin(), length.bytes.end(),
            w.bytes.begin() + static_cast<std::ptrdiff_t>(length_at));
}

// Ops by name, so that the file does not depend on the order of the enum.
void write_node(ByteWriter& w, const Node& node) {
  w.text(name(node.op));
  w.u8(node.arity);
  w.words(node.operands());
  w.u32(node.shape.rows);
  w.u32(node.shape.cols);
  w.u8(static_cast<std::uint8_t>(node.axis));
  w.u8(static_cast<std::uint8_t>(node.transpose_a | node.transpose_b << 1));
  w.text(name(node.of));
  w.u32(node.index);
  w.f32(node.alpha);
}

void write_network(ByteWriter& w, const Network& network) {
  w.u32(network.repeat());
  w.count(network.nodes().size());
  for (const Node& node : network.nodes()) write_node(w, node);
  w.count(network.outputs().size());
  w.words(network.outputs());
}

void write_tensor(ByteWriter& w, const Tensor& t) {
  w.u32(t.rows);
  w.u32(t.cols);
  w.floats(t.data);
}

void write_tensors(ByteWriter& w, const std::vector<Tensor>& tensors) {
  w.count(tensors.size());
  for (const Tensor& t : tensors) write_tensor(w, t);
}

void write_split(ByteWriter& w, const std::vector<Slice>& split) {
  w.count(split.size());
  for (const Slice& slice : split) {
    w.u32(slice.padding);
    w.count(slice.rows.size());
    w.words(slice.rows);
  }
}

// All but the notes: what the content hash is of.
ByteWriter content(const Case& c) {
  ByteWriter w;
  w.bytes.assign(case_magic.begin(), case_magic.end());
  w.u32(case_file_version);
  section(w, Section::network, [&] { write_network(w, c.network); });
  section(w, Section::parameters, [&] { write_tensors(w, c.parameters); });
  section(w, Section::inputs, [&] { write_tensors(w, c.inputs); });
  section(w, Section::cotangents, [&] { write_tensor(w, c.cotangents); });
  section(w, Section::split, [&] { write_split(w, c.split); });
  section(w, Section::layout, [&] {
    w.u8(c.layout.batch_offset);
    w.u8(c.layout.slice_offset);
  });
  return w;
}

void write_notes(ByteWriter& w, const std::map<std::string, std::string>& notes) {
  w.count(notes.size());
  for (const auto& [key, value] : notes) {
    w.text(as_utf8(key));
    w.text(as_utf8(value));
  }
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const CaseFile& file) {
  ByteWriter w = content(file.value);
  section(w, Section::notes, [&] { write_notes(w, file.notes); });
  w.u64(XXH64(w.bytes.data(), w.bytes.size(), 0));
  return std::move(w.bytes);
}

std::string content_hash(const Case& c) {
  const ByteWriter w = content(c);
  return fmt::format("{:016x}", XXH64(w.bytes.data(), w.bytes.size(), 0));
}

}  // namespace ulpfuzz
