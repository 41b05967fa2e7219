#include <fmt/format.h>

#include "languages.hpp"
#include "numpy_helpers.hpp"
#include "paths.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

class Numpy final : public PythonPaths {
 public:
  Numpy(const Failure& failure, const std::string& file)
      : PythonPaths(failure, file), model_(numpy_model(failure.subject.name())) {
    if (model_ != nullptr)
      for (const Helper& h : model_->functions) modelled_.insert(std::string(h.name));
    if (!p_.scene.gradient) return;
    p_.layout.matrices = true;  // and an axis of cotangents: [batch, cotangents, m, n]
    p_.layout.is_vector.assign(p_.layout.is_vector.size(), false);
  }

  std::string text() {
    const Lines compared = paths();
    Lines lines;
    if (p_.scene.check == Check::number_class)
      lines.emplace_back("np.seterr(all=\"ignore\")  # NaN and infinities are meant");
    append(lines, p_.data(Arrays::numpy, p_.scene.gradient));
    lines.emplace_back();
    if (model_ != nullptr)
      append(lines, python_comment(fmt::format("What {} gets wrong, as a model: {}.",
                                               p_.failure.subject.name(), model_->words)));
    append(lines, definitions_);
    append(lines, functions_);
    append(lines, compared);
    Lines imports;
    for (const std::string library : {"itertools", "math", "sys"})
      if (join_lines(lines).find(library + ".") != std::string::npos)
        imports.push_back("import " + library);
    imports.emplace_back("import numpy as np");
    return p_.put_together(imports, lines);
  }

 private:
  bool mentions(std::string_view word) const {
    for (const Lines* lines : {&definitions_, &functions_})
      for (const std::string& line : *lines)
        if (line.find(word) != line.npos) return true;
    return false;
  }

  /// Defines `name(arguments)` as the node `output` of `network`, once.
  void define(const std::string& name, const std::string& arguments, const Network& network,
              std::size_t output) {
    if (!defined_.insert(name).second) return;
    PythonLayout layout = p_.layout;
    if (network.inputs().size() > layout.inputs.size()) layout.inputs.emplace_back("v");
    const Lines body =
        python_body(network, layout, network.outputs()[output], spell_numpy, helpers_, modelled_);
    functions_.push_back(fmt::format("def {}({}):", name, arguments));
    definitions_ = numpy_definitions(helpers_, model_);
    note_sizes(network, layout);
    append(functions_, body);
    functions_.emplace_back();
  }

  /// What some models ask for.
  void note_sizes(const Network& network, const PythonLayout& layout) {
    const bool vectorized = mentions("vectorized");
    if (!vectorized) return;
    const std::string& x = layout.inputs.front();
    const bool cotangents = layout.inputs.back() == "v";
    const std::string many =
        cotangents ? "v.shape[1] > 1" : (network.repeat() > 1 ? "True" : "False");
    functions_.emplace_back("    global vectorized");
    functions_.push_back(fmt::format("    vectorized = len({}) > 1 or {}", x, many));
  }

  std::string item(const Call& call, const std::string& array) const {
    const Network& network = *call.network;
    const Node& node = network.node(network.outputs()[call.output]);
    std::vector<std::size_t> dims = p_.layout.row_dims(node.shape);
    if (p_.scene.gradient && node.axis != Axis::shared)
      dims.insert(dims.begin(), node.axis == Axis::repeated ? network.repeat() : 1);
    if (node.axis != Axis::shared) dims.insert(dims.begin(), call.batch());
    return fmt::format("float({}[{}])", array, python_index(call.index, dims));
  }

  /// The call's value goes through what the model does to whole results.
  std::string result(const Call& call, const std::string& text) const {
    if (model_ == nullptr || model_->result.empty()) return text;
    const Node& node = call.network->node(call.network->outputs()[call.output]);
    if (model_->result == "doubled" && node.op != Op::add) return text;
    return fmt::format("{}({})", model_->result, text);
  }

  std::string slice_inputs(const Call& call) const override {
    const std::string rows = python_rows(call.rows);
    return call.padding == 0 ? p_.inputs_at(rows) : padded(rows, call.padding, "np.pad");
  }

  std::string forward_call(const Call& call, const std::string& inputs) override {
    define("f", p_.inputs(), *call.network, call.output);
    return result(call, fmt::format("f({})", inputs));
  }

  std::string loop_value(const Path& path, Lines& lines) override {
    const Call& call = path.calls.front();
    const Shape shape = p_.value().output_node().shape;
    define("vjp", p_.inputs() + ", v", *call.network, call.output);
    lines.push_back(
        fmt::format("one = np.zeros((1, 1, {}, {}), np.float32)", shape.rows, shape.cols));
    lines.push_back(
        fmt::format("one[0, 0, {}] = 1  # of output {} alone", p_.column_index(), p_.scene.column));
    const std::string row = fmt::format("[{}]", p_.scene.row);
    lines.push_back(
        fmt::format("loop = {}", result(call, fmt::format("vjp({}, one)", p_.inputs_at(row)))));
    return item(call, "loop");
  }

  std::string vectorized_value(const Path& path, Lines& lines) override {
    const Call& call = path.calls.front();
    if (path.route == Route::forward) {
      define("jvp", p_.inputs(), *call.network, call.output);
      lines.push_back(
          fmt::format("vectorized_jvp = {}", result(call, fmt::format("jvp({})", p_.inputs()))));
      return item(call, "vectorized_jvp");
    }
    const Shape shape = p_.value().output_node().shape;
    define("vjp", p_.inputs() + ", v", *call.network, call.output);
    lines.push_back(fmt::format("each = np.eye({}, dtype=np.float32).reshape(1, -1, {}, {})",
                                shape.size(), shape.rows, shape.cols));
    lines.push_back(
        fmt::format("each = np.repeat(each, {}, 0)  # of each output", p_.value().batch()));
    lines.push_back(fmt::format("vectorized_vjp = {}",
                                result(call, fmt::format("vjp({}, each)", p_.inputs()))));
    return item(call, "vectorized_vjp");
  }

  std::string summed_value(const Path& path, Lines& lines) override {
    const Call& first = path.calls.front();
    define("gradient", p_.inputs() + ", v", *first.network, first.output);
    const auto call = [&](const std::string& rows) {
      return result(first, fmt::format("gradient({}, v[{}])", p_.inputs_at(rows), rows));
    };
    if (path.route == Route::whole) {
      lines.push_back("whole = " + call(python_rows(first.rows)));
      return item(first, "whole");
    }
    std::vector<std::string> parts;
    for (const Call& c : path.calls) parts.push_back(python_list(c.rows));
    lines.push_back("slices = " + python_tuple(parts));
    lines.push_back(fmt::format(
        "parts = sum({}.astype(float) for rows in slices).astype(np.float32)", call("rows")));
    return item(first, "parts");
  }

  const NumpyModel* model_;
  std::set<std::string> modelled_, helpers_, defined_;
  Lines definitions_, functions_;
};

}  // namespace

std::string numpy_program(const Failure& failure, const std::string& file) {
  return Numpy(failure, file).text();
}

}  // namespace ulpfuzz::repro
