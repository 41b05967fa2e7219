#include <fmt/format.h>

#include "languages.hpp"
#include "paths.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

/// As an index of arrays: a range, or an array of numbers.
std::string rows_index(const std::vector<std::uint32_t>& rows) {
  const std::string text = python_rows(rows);
  return text.starts_with('[') ? fmt::format("np.array({})", text) : text;
}

class Jax final : public PythonPaths {
 public:
  Jax(const Failure& failure, const std::string& file) : PythonPaths(failure, file) {}

  std::string text() {
    const Lines lines =
        statements(precision(), {Arrays::numpy, "{} = jnp.asarray({})",
                                 "{} = map(jnp.asarray, ({}))", spell_jax, jax_helpers});
    return p_.put_together(imports(lines), lines);
  }

 private:
  static Lines imports(const Lines& rest) {
    const std::string text = join_lines(rest);
    Lines lines;
    if (text.find("math.") != text.npos) lines.emplace_back("import math");
    lines.emplace_back("import sys");
    if (text.find("jax.") != text.npos) lines.emplace_back("import jax");
    append(lines, {"import jax.numpy as jnp", "import numpy as np"});
    return lines;
  }

  Lines precision() const {
    const Format operand = p_.failure.subject.arithmetic().operand;
    if (operand != Format::tf32 && operand != Format::bf16) return {};
    return {fmt::format("# as {} has it", arithmetic_name()),
            fmt::format("jax.config.update(\"jax_default_matmul_precision\", \"{}\")",
                        operand == Format::tf32 ? "tensorfloat32" : "bfloat16")};
  }

  std::string slice_inputs(const Call& call) const override {
    const std::string rows = rows_index(call.rows);
    return call.padding == 0 ? p_.inputs_at(rows) : padded(rows, call.padding, "jnp.pad");
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

  std::string loop_value(const Path&, Lines& lines) override {
    const std::string row = std::to_string(p_.scene.row);
    const std::string at =
        by_parameter() ? p_.wrt_name() : fmt::format("{}[{}]", p_.wrt_name(), row);
    lines.push_back(fmt::format("loop = jax.grad({}[{}])({})", of_row(row), p_.column_index(), at));
    return element("loop", p_.element_index());
  }

  std::string vectorized_value(const Path& path, Lines& lines) override {
    lines.push_back(fmt::format("vectorized = jax.vmap(jax.{}(f{}){})({})",
                                path.route == Route::reverse ? "jacrev" : "jacfwd", argnums(),
                                axes("in_axes"), arguments()));
    return element("vectorized",
                   fmt::format("{}, {}, {}", p_.scene.row, p_.column_index(), p_.element_index()));
  }

  std::string summed_value(const Path& path, Lines& lines) override {
    const std::string& name = p_.wrt_name();
    if (lines.empty()) {
      lines = {"def gradient(rows):",
               fmt::format("    return jax.vjp({}, {})[1](v[rows])[0]", of_row("rows"), name), ""};
    }
    if (path.route == Route::whole) {
      lines.push_back(
          fmt::format("whole = gradient(np.array({}))", python_list(path.calls.front().rows)));
      return element("whole", p_.element_index());
    }
    std::vector<std::string> parts;
    for (const Call& call : path.calls) parts.push_back(python_list(call.rows));
    append(lines, {"slices = " + python_tuple(parts),
                   "parts = sum(np.asarray(gradient(np.array(rows)), float) for rows in slices)"
                   ".astype(np.float32)"});
    return element("parts", p_.element_index());
  }
};

}  // namespace

std::string jax_program(const Failure& failure, const std::string& file) {
  return Jax(failure, file).text();
}

}  // namespace ulpfuzz::repro
