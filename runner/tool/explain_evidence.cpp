#include "explain_evidence.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain_results.hpp"
#include "ulpfuzz/network/npy.hpp"
#include "ulpfuzz/network/row_list.hpp"

namespace ulpfuzz::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_rows = std::size_t{1} << 24;
// What the explanation of an element takes, about: references, bounds, deviations, predictions.
constexpr double bytes_an_element = 64;

[[noreturn]] void refuse(std::string_view where, std::string_view problem,
                         std::string_view remedy) {
  throw FileError(fmt::format("{}: {}; {}", where, problem, remedy));
}

// The network and its parameters alone: errors of inputs are told apart.
void check_network(const NetworkFile& file, const fs::path& path) {
  Case c;
  c.network = file.network;
  c.parameters = file.parameters;
  for (const NodeId id : c.network.inputs())
    c.inputs.emplace_back(0, static_cast<std::uint32_t>(c.network.node(id).shape.size()));
  if (c.inputs.empty()) refuse(path.string(), "the network has no input", "add one");
  try {
    validate(c);
  } catch (const std::invalid_argument& error) {
    std::string_view what = error.what();
    if (what.starts_with("case: ")) what.remove_prefix(6);
    throw FileError(fmt::format("{}: {}", path.string(), what));
  }
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const Tensor& t = file.parameters[i];
    const auto bad =
        std::find_if(t.data.begin(), t.data.end(), [](float x) { return std::isnan(x); });
    if (bad == t.data.end()) continue;
    const auto at = static_cast<std::size_t>(bad - t.data.begin());
    const bool named = i < file.sources.size() && !file.sources[i].empty();
    const std::string what = named ? file.sources[i] : fmt::format("parameter {}", i);
    refuse(path.string(), fmt::format("{}: NaN at [{}][{}]", what, at / t.cols, at % t.cols),
           "save the weights again");
  }
}

Tensor read_input(const fs::path& path, std::size_t width) {
  NpyArray<float> array = read_npy<float>(path);
  const Table table = table_of(array.shape, width);
  const auto wrong = [&](std::string problem, std::string_view remedy) {
    refuse(path.string(), fmt::format("shape {}: {}", npy_shape(array.shape), problem), remedy);
  };
  if (table.cols != width)
    wrong(fmt::format("{} numbers a row, where the network takes {}", table.cols, width),
          fmt::format("save [rows, {}]", width));
  if (table.rows == 0) wrong("no rows", "save at least one");
  if (table.rows > most_rows) wrong(fmt::format("more than {} rows", most_rows), "save fewer");
  return {static_cast<std::uint32_t>(table.rows), static_cast<std::uint32_t>(table.cols),
          std::move(array.data)};
}

std::vector<Tensor> read_inputs(const Question& question, const Network& network) {
  const auto& nodes = network.inputs();
  if (question.inputs.size() != nodes.size())
    refuse("--input",
           fmt::format("given {} times, where the network in {} has {} input{}",
                       question.inputs.size(), question.network.string(), nodes.size(),
                       nodes.size() == 1 ? "" : "s"),
           "give one an input, in order");
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    inputs.push_back(read_input(question.inputs[i], network.node(nodes[i]).shape.size()));
    if (inputs[i].rows != inputs[0].rows)
      refuse(question.inputs[i].string(),
             fmt::format("{} rows, where {} has {}", inputs[i].rows, question.inputs[0].string(),
                         inputs[0].rows),
             "save the same rows of all inputs");
  }
  return inputs;
}

std::string input_name(const Question& question, std::size_t i) {
  if (question.inputs.empty()) return question.case_file.string();
  return question.inputs[i].string();
}

/// Of a subject's batches, the rows that both have.
std::size_t shared_rows(const Question& question, std::size_t all) {
  if (question.subject.empty()) return all;
  const std::size_t larger = std::max(question.batch_a, question.batch_b);
  if (larger > all)
    refuse("--batch-sizes",
           fmt::format("a batch of {} rows, where {} has {}", larger, input_name(question, 0), all),
           "give an input of so many rows, or smaller sizes");
  return std::min(question.batch_a, question.batch_b);
}

void check_shared(const Rows& rows, std::size_t shared, const Question& question) {
  for (const std::uint32_t row : rows.selected)
    if (!question.subject.empty() && row >= shared)
      refuse(
          rows.source,
          fmt::format("row {} is not in the batch of {}, the first rows of the input", row, shared),
          "name rows that both batches have");
}

Rows select(const Question& question, std::size_t all) {
  Rows rows{.selected = {}, .all = all, .source = input_name(question, 0)};
  const std::size_t shared = shared_rows(question, all);
  if (question.rows.empty()) {
    rows.selected.resize(shared);
    std::iota(rows.selected.begin(), rows.selected.end(), 0u);
    return rows;
  }
  try {
    rows.selected = parse_rows(question.rows, all, most_rows);
  } catch (const std::invalid_argument& error) {
    throw FileError(fmt::format("{}: --rows: {}", rows.source, error.what()));
  }
  rows.source = "--rows " + question.rows;
  check_distinct(rows);
  check_shared(rows, shared, question);
  return rows;
}

Tensor gather(const Tensor& from, const std::vector<std::uint32_t>& rows) {
  Tensor to(static_cast<std::uint32_t>(rows.size()), from.cols);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::ranges::copy(from.row(rows[r]), to.row(r).begin());
  return to;
}

// NaN in, NaN out: nothing can be said of such a row, so it must not be counted as explained.
void check_rows(const Question& question, const std::vector<Tensor>& inputs, const Rows& rows) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::uint32_t> bad, good;
    for (const std::uint32_t row : rows.selected) {
      const auto values = inputs[i].row(row);
      const bool nan =
          std::any_of(values.begin(), values.end(), [](float x) { return std::isnan(x); });
      (nan ? bad : good).push_back(row);
    }
    if (bad.empty()) continue;
    refuse(input_name(question, i),
           fmt::format("NaN in row{} {}", bad.size() == 1 ? "" : "s", row_list(bad)),
           good.empty()
               ? "save the inputs again"
               : fmt::format("leave them out: --rows {}, and save the results of these rows",
                             row_list(good)));
  }
}

Layout layout_of(const Question& question, const Network& network) {
  Layout layout{.outputs = network.node(network.outputs().front()).shape.size(), .parts = {}};
  if (question.quantity == diagnosis::Quantity::outputs) return layout;
  const bool parameters = question.quantity == diagnosis::Quantity::parameter_jacobian;
  for (const NodeId id : parameters ? network.parameters() : network.inputs())
    layout.parts.push_back(network.node(id).shape.size());
  return layout;
}

double memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

void check_memory(const Question& question, const Rows& rows, const Layout& layout,
                  const Network& network) {
  double values = static_cast<double>(layout.width());
  for (const Node& node : network.nodes()) values += static_cast<double>(node.shape.size());
  const double bytes = static_cast<double>(rows.selected.size()) * values * bytes_an_element;
  if (bytes <= memory()) return;
  refuse(rows.source,
         fmt::format("{} rows of {} numbers would take about {:.0f} GiB, more than the {:.0f} here",
                     rows.selected.size(), layout.width(), bytes / (1 << 30), memory() / (1 << 30)),
         question.rows.empty() ? "name fewer with --rows" : "name fewer");
}

}  // namespace

Files read_files(const Question& question) {
  Files files;
  std::vector<Tensor> inputs;
  if (!question.case_file.empty()) {
    Case c = read_case(question.case_file).value;
    files.network = {std::move(c.network), std::move(c.parameters)};
    inputs = std::move(c.inputs);
  } else {
    files.network = read_network(question.network);
  }
  const bool from_case = !question.case_file.empty();
  check_network(files.network, from_case ? question.case_file : question.network);
  const Network& network = files.network.network;
  if (!from_case) inputs = read_inputs(question, network);
  if (inputs[0].rows == 0) refuse(input_name(question, 0), "no rows", "give it at least one");
  const Rows rows = select(question, inputs[0].rows);
  check_rows(question, inputs, rows);
  const Layout layout = layout_of(question, network);
  if (layout.width() == 0)
    refuse((from_case ? question.case_file : question.network).string(),
           question.quantity == diagnosis::Quantity::outputs
               ? "its output has 0 columns, so there is nothing to explain"
               : "its Jacobian has 0 elements, so there is nothing to explain",
           "name another network");
  check_memory(question, rows, layout, network);
  for (const Tensor& x : inputs) files.inputs.push_back(gather(x, rows.selected));
  files.rows = rows.selected.size();
  files.selected = rows.selected;
  if (!question.subject.empty()) files.all_inputs = std::move(inputs);
  if (!question.a.empty()) files.a = read_results<float>(question.a, rows, layout);
  if (!question.b.empty()) files.b = read_results<float>(question.b, rows, layout);
  if (!question.difference.empty())
    files.difference = read_results<double>(question.difference, rows, layout);
  return files;
}

diagnosis::Evidence evidence_of(const Question& question, const Files& files,
                                std::vector<const float*>& inputs) {
  inputs.clear();
  for (const Tensor& x : files.inputs) inputs.push_back(x.data.data());
  return {.network = files.network.network,
          .parameters = files.network.parameters,
          .rows = files.rows,
          .inputs = inputs,
          .quantity = question.quantity,
          .a = files.a,
          .b = files.b,
          .difference = files.difference,
          .absolute_sum = question.difference_sum,
          .batch_a = question.batch_a,
          .batch_b = question.batch_b};
}

}  // namespace ulpfuzz::tool
