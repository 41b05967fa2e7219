#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../numbers.hpp"
#include "../plain_words.hpp"
#include "refusals.hpp"

namespace ulpfuzz::repro {
namespace {

std::vector<std::size_t> with_batch(std::size_t batch, std::vector<std::size_t> dims) {
  dims.insert(dims.begin(), batch);
  return dims;
}

}  // namespace

void append(Lines& to, const Lines& more) { to.insert(to.end(), more.begin(), more.end()); }

std::string join_lines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line.starts_with('#') ? line : python_wrapped(line);
    text += '\n';
  }
  return text;
}

PythonProgram::PythonProgram(const Failure& f, const std::string& file_name)
    : failure(f), scene(scene_of(f)), layout(python_layout(f.value.network)), file(file_name) {
  check_python_can_show(scene);
}

std::string PythonProgram::words(const Path& path) {
  return path.route == Route::exact ? "the exact result" : path.words;
}

Lines PythonProgram::header() const {
  const Verdict& v = failure.verdict;
  const std::string a = words(scene.a);
  const std::string b = words(scene.b);
  std::string found;
  switch (scene.check) {
    case Check::bound:
      found = fmt::format("{} and {} differ by {:.3g}; rounding allows {}.", a, b, scene.difference,
                          scene.bound > 0 ? fmt::format("{:.3g}", scene.bound) : "no difference");
      break;
    case Check::number_class:
      found = fmt::format("{} gives {:.9g}, {} {:.9g}.", a, v.worst.a, b,
                          scene.b.route == Route::exact ? scene.reference : double{v.worst.b});
      break;
    case Check::bits:
      found = fmt::format("{} and {} have other bits.", a, b);
      break;
    default:
      found = fmt::format("{} gives other bits when it is repeated.", a);
  }
  Lines lines{fmt::format("# python3 {}", shell_word(file)), "#"};
  const std::string judged =
      failure.claim.empty() ? "" : fmt::format(", judged by the arithmetic {}", failure.claim);
  append(lines, python_comment(fmt::format("{}: {} Seen on {}{}.", scene.where, found,
                                           failure.subject.name(), judged)));
  return lines;
}

std::string PythonProgram::put_together(const Lines& imports, const Lines& rest) const {
  Lines lines = header();
  append(lines, imports);
  lines.emplace_back();
  const std::string text = join_lines(rest);
  if (text.find("h(\"") != text.npos || text.find("h(v)") != text.npos)
    lines.emplace_back("h = float.fromhex");
  return join_lines(lines) + text;
}

Lines PythonProgram::data(Arrays arrays, bool cotangents) const {
  Lines lines;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < value().parameters.size(); ++i) {
    const Tensor& t = value().parameters[i];
    const Shape shape{t.rows, t.cols};
    append(lines,
           python_array(layout.parameters[i], layout.parameter_dims(shape, i), t.data, arrays));
  }
  const auto add = [&](const std::string& name, Shape shape, const Tensor& t) {
    const bool flat = cotangents && shape.rows == 1;
    const auto dims = flat ? std::vector<std::size_t>{shape.cols} : layout.row_dims(shape);
    append(lines, python_array(name, with_batch(value().batch(), dims), t.data, arrays));
    if (cotangents)
      lines.push_back(fmt::format("{} = {}[:, None{}]", name, name, flat ? ", None" : ""));
  };
  for (std::size_t i = 0; i < value().inputs.size(); ++i)
    add(layout.inputs[i], network().node(network().inputs()[i]).shape, value().inputs[i]);
  if (takes_cotangents()) add("v", value().output_node().shape, value().cotangents);
  if (cotangents) lines.back() += "  # [batch row, cotangent, m, n]";
  return lines;
}

std::vector<std::string> PythonProgram::data_names() const {
  std::vector<std::string> names = layout.parameters;
  names.insert(names.end(), layout.inputs.begin(), layout.inputs.end());
  if (takes_cotangents()) names.emplace_back("v");
  return names;
}

bool PythonProgram::takes_cotangents() const {
  const auto given = [](const Path& path) {
    return std::any_of(path.calls.begin(), path.calls.end(),
                       [](const Call& c) { return c.cotangents == Cotangents::given; });
  };
  return given(scene.a) || given(scene.b);
}

std::string PythonProgram::output_index(std::size_t position, std::size_t column) const {
  const auto dims = layout.row_dims(value().output_node().shape);
  return fmt::format("{}, {}", position, python_index(column, dims));
}

std::string PythonProgram::column_index() const {
  return python_index(scene.column, layout.row_dims(value().output_node().shape));
}

std::string PythonProgram::element_index() const {
  if (wrt_input()) {
    const Shape shape = network().node(network().inputs()[scene.wrt]).shape;
    return python_index(scene.element, layout.row_dims(shape));
  }
  const std::size_t p = scene.wrt - value().inputs.size();
  const Shape shape{value().parameters[p].rows, value().parameters[p].cols};
  return python_index(scene.element, layout.parameter_dims(shape, p));
}

const std::string& PythonProgram::wrt_name() const {
  return wrt_input() ? layout.inputs[scene.wrt]
                     : layout.parameters[scene.wrt - value().inputs.size()];
}

std::string PythonProgram::inputs_at(const std::string& index) const {
  std::vector<std::string> parts;
  for (const std::string& name : layout.inputs) parts.push_back(fmt::format("{}[{}]", name, index));
  return joined(parts);
}

std::string PythonProgram::inputs() const { return joined(layout.inputs); }

}  // namespace ulpfuzz::repro
