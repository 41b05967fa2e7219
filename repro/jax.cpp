#include <fmt/format.h>

#include "python_languages.hpp"
#include "python_program.hpp"
#include "python_spellers.hpp"

namespace ulpfuzz::repro {
namespace {

/// As an index of arrays: a range, or an array of numbers.
std::string rows_index(const std::vector<std::uint32_t>& rows) {
  const std::string text = python_rows(rows);
  return text.starts_with('[') ? fmt::format("np.array({})", text) : text;
}

class Jax {
 public:
  Jax(const Failure& failure, const std::string& file) : p_(failure, file) {}

  std::string text() {
    const Network& network = p_.network();
    std::set<std::string> helpers;
    const Lines body =
        python_body(network, p_.layout, network.outputs().front(), spell_jax, helpers);
    Lines lines = precision();
    append(lines, p_.data(Arrays::numpy));
    lines.push_back(as_jax());
    lines.emplace_back();
    append(lines, jax_helpers(helpers));
    lines.push_back(fmt::format("def f({}):", arguments()));
    append(lines, body);
    lines.emplace_back();
    append(lines, paths());
    Lines imports{"import sys", "import jax", "import jax.numpy as jnp", "import numpy as np"};
    if (join_lines(lines).find("math.") != std::string::npos)
      imports.insert(imports.begin(), "import math");
    return p_.put_together(imports, lines);
  }

 private:
  bool by_parameter() const { return p_.scene.gradient && !p_.wrt_input(); }

  std::string arguments() const {
    return by_parameter() ? p_.inputs() + ", " + p_.wrt_name() : p_.inputs();
  }

  Lines precision() const {
    const std::string& claim = p_.failure.claim;
    const char* precision = claim.starts_with("tf32")   ? "tensorfloat32"
                            : claim.starts_with("bf16") ? "bfloat16"
                                                        : nullptr;
    if (precision == nullptr) return {};
    return {fmt::format("jax.config.update(\"jax_default_matmul_precision\", \"{}\")  # as claimed",
                        precision)};
  }

  std::string as_jax() const {
    const std::string names = joined(p_.data_names());
    if (p_.data_names().size() == 1) return fmt::format("{} = jnp.asarray({})", names, names);
    const std::string flat = fmt::format("{} = map(jnp.asarray, ({}))", names, names);
    if (flat.size() <= 98) return flat;
    return fmt::format("({}) = map(jnp.asarray, ({}))", names, names);
  }

  std::string item(const std::string& array, const std::string& index) const {
    return fmt::format("float({}[{}])", array, index);
  }

  std::string slice_inputs(const Call& call) const {
    const std::string rows = rows_index(call.rows);
    if (call.padding == 0) return p_.inputs_at(rows);
    std::vector<std::string> parts;
    for (const std::string& name : p_.layout.inputs)
      parts.push_back(fmt::format("jnp.pad({}[{}], ((0, {}), (0, 0){}))", name, rows, call.padding,
                                  p_.layout.matrices ? ", (0, 0)" : ""));
    return joined(parts);
  }

  std::string forward_value(const Path& path, Lines& lines, const char* name) const {
    const Call& call = path.calls.front();
    const std::size_t width = p_.value().output_width();
    const bool whole = path.route == Route::batch;
    lines.push_back(fmt::format("{} = f({})", name, whole ? p_.inputs() : slice_inputs(call)));
    return item(name, p_.output_index(call.index / width, call.index % width));
  }

  /// f of one batch row, as a function of what the gradient is with respect to.
  std::string of_row(const std::string& row) const {
    const std::string name = p_.wrt_name();
    if (by_parameter()) return fmt::format("lambda {}: f({}, {})", name, p_.inputs_at(row), name);
    std::vector<std::string> inputs;
    for (const std::string& input : p_.layout.inputs)
      inputs.push_back(input == name ? name : fmt::format("{}[{}]", input, row));
    return fmt::format("lambda {}: f({})", name, joined(inputs));
  }

  std::string loop_value(Lines& lines) const {
    const std::string row = std::to_string(p_.scene.row);
    const std::string at =
        by_parameter() ? p_.wrt_name() : fmt::format("{}[{}]", p_.wrt_name(), row);
    lines.push_back(fmt::format("loop = jax.grad({}[{}])({})", of_row(row), p_.column_index(), at));
    return item("loop", p_.element_index());
  }

  std::string vectorized_value(bool reverse, Lines& lines) const {
    std::string options;
    std::string axes;
    if (by_parameter()) {
      options = fmt::format(", argnums={}", p_.layout.inputs.size());
      axes = ", in_axes=(";
      for (std::size_t i = 0; i < p_.layout.inputs.size(); ++i) axes += "0, ";
      axes += "None)";
    } else if (p_.scene.wrt != 0) {
      options = fmt::format(", argnums={}", p_.scene.wrt);
    }
    lines.push_back(fmt::format("vectorized = jax.vmap(jax.{}(f{}){})({})",
                                reverse ? "jacrev" : "jacfwd", options, axes, arguments()));
    return item("vectorized",
                fmt::format("{}, {}, {}", p_.scene.row, p_.column_index(), p_.element_index()));
  }

  std::string summed_value(const Path& path, Lines& lines) const {
    const std::string& name = p_.wrt_name();
    if (lines.empty()) {
      lines = {"def gradient(rows):",
               fmt::format("    return jax.vjp({}, {})[1](v[rows])[0]", of_row("rows"), name), ""};
    }
    if (path.route == Route::whole) {
      lines.push_back(
          fmt::format("whole = gradient(np.array({}))", python_list(path.calls.front().rows)));
      return item("whole", p_.element_index());
    }
    std::vector<std::string> parts;
    for (const Call& call : path.calls) parts.push_back(python_list(call.rows));
    append(lines, {"slices = " + python_tuple(parts),
                   "parts = sum(np.asarray(gradient(np.array(rows)), float) for rows in slices)"
                   ".astype(np.float32)"});
    return item("parts", p_.element_index());
  }

  std::string value(const Path& path, Lines& lines) const {
    switch (path.route) {
      case Route::batch:
        return forward_value(path, lines, "batched");
      case Route::slice:
        return forward_value(path, lines, "sliced");
      case Route::loop:
        return loop_value(lines);
      case Route::reverse:
      case Route::forward:
        return vectorized_value(path.route == Route::reverse, lines);
      case Route::exact:
        return "";
      default:
        return summed_value(path, lines);
    }
  }

  Lines repeated() const {
    Lines lines;
    const std::string once = value(p_.scene.a, lines);
    Lines all{"def run():"};
    for (const std::string& line : lines)
      if (!line.empty()) all.push_back("    " + line);
    append(all, {"    return " + once, "", "runs = [run() for _ in range(20)]"});
    append(all, p_.verdict("runs[0]", "next((r for r in runs if r.hex() != a.hex()), a)"));
    return all;
  }

  Lines paths() const {
    if (p_.scene.check == Check::repeated) return repeated();
    Lines lines;
    const std::string a = value(p_.scene.a, lines);
    const std::string b = value(p_.scene.b, lines);
    append(lines, p_.verdict(a, b));
    return lines;
  }

  PythonProgram p_;
};

}  // namespace

std::string jax_program(const Failure& failure, const std::string& file) {
  return Jax(failure, file).text();
}

}  // namespace ulpfuzz::repro
