#include "paths.hpp"

#include <fmt/format.h>

#include <utility>

namespace ulpfuzz::repro {

std::string PythonPaths::arithmetic_name() const {
  return p_.failure.claim.empty() ? std::string(p_.failure.subject.name()) : p_.failure.claim;
}

std::string PythonPaths::arguments() const {
  return by_parameter() ? p_.inputs() + ", " + p_.wrt_name() : p_.inputs();
}

std::string PythonPaths::argnums() const {
  const std::size_t number = by_parameter() ? p_.layout.inputs.size() : p_.scene.wrt;
  return number == 0 ? "" : fmt::format(", argnums={}", number);
}

std::string PythonPaths::axes(const std::string& option) const {
  if (!by_parameter()) return "";
  std::string text = fmt::format(", {}=(", option);
  for (std::size_t i = 0; i < p_.layout.inputs.size(); ++i) text += "0, ";
  return text + "None)";
}

std::string PythonPaths::padded(const std::string& rows, std::uint32_t padding,
                                const char* pad) const {
  std::vector<std::string> parts;
  for (const std::string& name : p_.layout.inputs)
    parts.push_back(fmt::format("{}({}[{}], ((0, {}), (0, 0){}))", pad, name, rows, padding,
                                p_.layout.matrices ? ", (0, 0)" : ""));
  return joined(parts);
}

std::string PythonPaths::forward_value(const Path& path, Lines& lines) {
  const Call& call = path.calls.front();
  const std::size_t width = p_.value().output_width();
  const bool whole = path.route == Route::batch;
  const std::string name = whole ? "batched" : "sliced";
  lines.push_back(
      fmt::format("{} = {}", name, forward_call(call, whole ? p_.inputs() : slice_inputs(call))));
  return element(name, p_.output_index(call.index / width, call.index % width));
}

std::string PythonPaths::value(const Path& path, Lines& lines) {
  switch (path.route) {
    case Route::batch:
    case Route::slice:
      return forward_value(path, lines);
    case Route::loop:
      return loop_value(path, lines);
    case Route::reverse:
    case Route::forward:
      return vectorized_value(path, lines);
    case Route::exact:
      return "";
    default:
      return summed_value(path, lines);
  }
}

/// Often enough to see it change.
Lines PythonPaths::repeated() {
  Lines lines;
  const std::string once = value(p_.scene.a, lines);
  Lines all{"def run():"};
  for (const std::string& line : lines)
    if (!line.empty()) all.push_back("    " + line);
  append(all, {"    return " + once, "", "runs = [run() for _ in range(20)]"});
  append(all, p_.verdict("runs[0]", "next((r for r in runs if r.hex() != a.hex()), a)"));
  return all;
}

/// With parentheses where the names are too many for a line.
std::string PythonPaths::moved(const Library& library) const {
  const std::string names = joined(p_.data_names());
  const std::string& form = p_.data_names().size() == 1 ? library.one : library.several;
  const std::string flat = fmt::format(fmt::runtime(form), names, names);
  if (p_.data_names().size() == 1 || flat.size() <= 98) return flat;
  return fmt::format(fmt::runtime(form), "(" + names + ")", names);
}

Lines PythonPaths::statements(Lines settings, const Library& library) {
  const Network& network = p_.network();
  std::set<std::string> helpers;
  const Lines body =
      python_body(network, p_.layout, network.outputs().front(), library.spell, helpers);
  Lines lines = std::move(settings);
  append(lines, p_.data(library.arrays));
  append(lines, {moved(library), ""});
  append(lines, library.helpers(helpers));
  lines.push_back(fmt::format("def f({}):", arguments()));
  append(lines, body);
  lines.emplace_back();
  append(lines, paths());
  return lines;
}

Lines PythonPaths::paths() {
  if (p_.scene.check == Check::repeated) return repeated();
  Lines lines;
  const std::string a = value(p_.scene.a, lines);
  const std::string b = value(p_.scene.b, lines);
  append(lines, p_.verdict(a, b));
  return lines;
}

}  // namespace ulpfuzz::repro
