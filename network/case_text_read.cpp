#include <fmt/format.h>

#include <charconv>

#include "file_error.hpp"
#include "text_reader.hpp"

namespace ulpfuzz {
namespace {

struct Run {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// "7" or "0-4".
std::optional<Run> parse_run(std::string_view text) {
  Run run;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, run.first);
  if (error != std::errc{}) return std::nullopt;
  run.last = run.first;
  if (stop != end && *stop == '-') {
    const auto second = std::from_chars(stop + 1, end, run.last);
    if (second.ec != std::errc{} || run.last < run.first) return std::nullopt;
    stop = second.ptr;
  }
  return stop == end ? std::optional<Run>{run} : std::nullopt;
}

// `room` is what is left of limits::split_rows: a run costs the file nothing.
std::vector<std::uint32_t> read_rows(const JsonView& v, std::size_t batch, std::size_t& room) {
  std::vector<std::uint32_t> rows;
  std::string_view rest = v.text();
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto run = parse_run(word);
    if (!run) v.refuse(fmt::format("\"{:.40}\" is no row or run of rows", word), "write 0-4,7,9");
    if (run->last >= batch)
      v.refuse(fmt::format("row {} of a batch of {}", run->last, batch), "rows count from 0");
    const std::size_t count = std::size_t{run->last} - run->first + 1;
    if (count > room)
      v.refuse(fmt::format("more than {} rows in the split", limits::split_rows), "cut it");
    room -= count;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(run->first + static_cast<std::uint32_t>(i));
    rest.remove_prefix(word.size());
    if (rest == ",") v.refuse("ends with a comma", "drop it");
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return rows;
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

NetworkFile read_network_document(const JsonView& document) {
  check_version(document, "ulpfuzz_network");
  document.only({"ulpfuzz_network", "network", "parameters"});
  NetworkFile file;
  file.network = read_network_value(document.field("network"));
  const JsonView parameters = document.field("parameters");
  file.parameters = read_tensors(parameters);
  check_parameters(file.network, file.parameters, complain_at(parameters));
  return file;
}

// The reference is to a file beside the case or below, so that a folder of cases can be moved, and
// a case from elsewhere cannot name the files of whoever reads it.
NetworkFile read_referenced(const JsonView& v, const std::filesystem::path& folder) {
  v.only({"file"});
  const JsonView file = v.field("file");
  const std::filesystem::path path(file.text());
  bool inside =
      !path.empty() && !path.has_root_path() && file.text().find('\0') == std::string::npos;
  for (const auto& part : path) inside = inside && part != "..";
  if (!inside) file.refuse("not the name of a file beside this one", "write \"NAME.network.json\"");
  return read_network(folder / path);
}

void read_network_part(const JsonView& document, const std::filesystem::path& folder, Case& c) {
  const JsonView network = document.field("network");
  if (!network.find("file")) {
    c.network = read_network_value(network);
    c.parameters = read_tensors(document.field("parameters"));
    return;
  }
  if (const auto parameters = document.find("parameters"))
    parameters->refuse("given though the network file holds them", "drop them");
  NetworkFile file = read_referenced(network, folder);
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
  read_network_part(document, folder, file.value);
  Case& c = file.value;
  c.inputs = read_tensors(document.field("inputs"));
  if (const auto cotangents = document.find("cotangents")) c.cotangents = read_tensor(*cotangents);
  if (const auto split = document.find("split")) c.split = read_split(*split, c.batch());
  if (const auto layout = document.find("layout")) c.layout = read_layout(*layout);
  check_case(c, complain_at(document));
  return file;
}

NetworkFile network_from_text(std::string_view text, const std::string& name) {
  const nlohmann::json parsed = parse_json(text, name);
  return read_network_document(JsonView(parsed, name, ""));
}

}  // namespace ulpfuzz
