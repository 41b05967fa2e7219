#include <fmt/format.h>

#include <stdexcept>

#include "file_error.hpp"
#include "layers_reader.hpp"
#include "text_reader.hpp"
#include "ulpfuzz/network/row_list.hpp"

namespace ulpfuzz {
namespace {

// `room` is what is left of limits::split_rows: a run costs the file nothing.
std::vector<std::uint32_t> read_rows(const JsonView& v, std::size_t batch, std::size_t& room) {
  try {
    std::vector<std::uint32_t> rows = parse_rows(v.text(), batch, room);
    room -= rows.size();
    return rows;
  } catch (const std::invalid_argument& error) {
    v.pass_on(error.what());
  }
}

std::vector<Slice> read_split(const JsonView& v, std::size_t batch) {
  std::vector<Slice> split;
  std::size_t room = limits::split_rows;
  for (std::size_t i = 0, n = v.size(); i < n; ++i) {
    const JsonView slice = v.at(i);
    slice.only({"rows", "padding"});
    split.push_back({.rows = read_rows(slice.field("rows"), batch, room)});
    if (const auto padding = slice.find("padding"))
      split.back().padding = padding->number(limits::empty_rows);
  }
  return split;
}

Layout read_layout(const JsonView& v) {
  v.only({"batch_offset", "slice_offset"});
  const auto offset = [&](std::string_view key) {
    const auto found = v.find(key);
    return static_cast<std::uint8_t>(found ? found->number(15) : 0);
  };
  return {.batch_offset = offset("batch_offset"), .slice_offset = offset("slice_offset")};
}

std::map<std::string, std::string> read_notes(const JsonView& v) {
  std::map<std::string, std::string> notes;
  for (const auto& [key, value] : v.object()) notes[key] = v.field(key).text();
  return notes;
}

NetworkFile read_network_document(const JsonView& document, Neighbours& files) {
  check_version(document, "ulpfuzz_network");
  if (document.find("layers")) {
    document.only({"ulpfuzz_network", "layers", "input"});
    return read_layers(document, files);
  }
  document.only({"ulpfuzz_network", "network", "parameters"});
  if (!document.find("network"))
    document.refuse("neither a field \"network\" nor \"layers\"", "add one (docs/case-file.md)");
  NetworkFile file;
  file.network = read_network_value(document.field("network"));
  const JsonView parameters = document.field("parameters");
  file.parameters = read_tensors(parameters, files);
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const auto npy = parameters.at(i).find("npy");
    file.sources.push_back(npy ? npy->text() : std::string());
  }
  check_parameters(file.network, file.parameters, complain_at(parameters));
  return file;
}

NetworkFile read_referenced(const JsonView& v, const Neighbours& files) {
  v.only({"file"});
  const JsonView file = v.field("file");
  return read_network(files.path(file, file.text(), "\"NAME.network.json\""));
}

void read_network_part(const JsonView& document, Neighbours& files, Case& c) {
  const JsonView network = document.field("network");
  const bool layers = network.find("layers").has_value();
  if (!layers && !network.find("file")) {
    c.network = read_network_value(network);
    c.parameters = read_tensors(document.field("parameters"), files);
    return;
  }
  if (const auto parameters = document.find("parameters"))
    parameters->refuse(layers ? "given though the layers name their files"
                              : "given though the network file holds them",
                       "drop them");
  if (layers) network.only({"layers", "input"});
  NetworkFile file = layers ? read_layers(network, files) : read_referenced(network, files);
  c.network = std::move(file.network);
  c.parameters = std::move(file.parameters);
}

}  // namespace

CaseFile case_from_text(std::string_view text, const std::string& name,
                        const std::filesystem::path& folder) {
  const nlohmann::json parsed = parse_json(text, name);
  const JsonView document(parsed, name, "");
  check_version(document, "ulpfuzz_case");
  document.only({"ulpfuzz_case", "notes", "network", "parameters", "inputs", "cotangents", "split",
                 "layout"});
  CaseFile file;
  if (const auto notes = document.find("notes")) file.notes = read_notes(*notes);
  Neighbours files(folder);
  read_network_part(document, files, file.value);
  Case& c = file.value;
  c.inputs = read_tensors(document.field("inputs"), files);
  if (const auto cotangents = document.find("cotangents"))
    c.cotangents = read_tensor(*cotangents, files);
  if (const auto split = document.find("split")) c.split = read_split(*split, c.batch());
  if (const auto layout = document.find("layout")) c.layout = read_layout(*layout);
  check_case(c, complain_at(document));
  return file;
}

NetworkFile network_from_text(std::string_view text, const std::string& name,
                              const std::filesystem::path& folder) {
  const nlohmann::json parsed = parse_json(text, name);
  Neighbours files(folder);
  return read_network_document(JsonView(parsed, name, ""), files);
}

}  // namespace ulpfuzz
