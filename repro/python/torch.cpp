#include <fmt/format.h>

#include "languages.hpp"
#include "paths.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

class Torch final : public PythonPaths {
 public:
  Torch(const Failure& failure, const std::string& file) : PythonPaths(failure, file) {}

  std::string text() {
    const Lines lines =
        statements(settings(), {Arrays::torch, "{} = {}.to(device)",
                                "{} = (t.to(device) for t in ({}))", spell_torch, torch_helpers});
    return p_.put_together(imports(lines), lines);
  }

 private:
  std::string arguments_at(const std::string& index) const {
    const std::string inputs = p_.inputs_at(index);
    return by_parameter() ? inputs + ", " + p_.wrt_name() : inputs;
  }

  bool uses(Route route) const { return p_.scene.a.route == route || p_.scene.b.route == route; }

  Lines imports(const Lines& rest) const {
    const std::string text = join_lines(rest);
    Lines lines;
    if (text.find("math.") != text.npos) lines.emplace_back("import math");
    append(lines, {"import sys", "import torch"});
    if (text.find("F.") != text.npos) lines.emplace_back("import torch.nn.functional as F");
    const std::string jacobian = uses(Route::forward) ? "jacfwd" : "jacrev";
    if (uses(Route::reverse) || uses(Route::forward))
      append(lines, {"try:", "    from torch.func import " + jacobian + ", vmap",
                     "except ImportError:  # before PyTorch 2",
                     "    from functorch import " + jacobian + ", vmap"});
    return lines;
  }

  Lines settings() const {
    Lines lines{"device = \"cuda\" if torch.cuda.is_available() else \"cpu\""};
    if (p_.failure.subject.arithmetic().operand == Format::tf32)
      lines.push_back(fmt::format("torch.backends.cuda.matmul.allow_tf32 = True  # as {} has it",
                                  arithmetic_name()));
    return lines;
  }

  std::string element(const std::string& array, const std::string& index) const override {
    return fmt::format("{}[{}].item()", array, index);
  }

  std::string slice_inputs(const Call& call) const override {
    const std::string rows = python_list(call.rows);
    if (call.padding == 0) return p_.inputs_at(rows);
    std::vector<std::string> parts;
    for (const std::string& name : p_.layout.inputs)
      parts.push_back(fmt::format("F.pad({}[{}], ({}0, {}))", name, rows,
                                  p_.layout.matrices ? "0, 0, 0, 0, " : "0, 0, ", call.padding));
    return joined(parts);
  }

  std::string loop_value(const Path&, Lines& lines) override {
    const std::string row = fmt::format("[{}]", p_.scene.row);
    const std::string name = p_.wrt_name();
    if (by_parameter()) {
      lines.push_back(fmt::format("{}.requires_grad_()", name));
      lines.push_back(fmt::format("loop = torch.autograd.grad(f({})[0, {}], {})[0]",
                                  arguments_at(row), p_.column_index(), name));
      return element("loop", p_.element_index());
    }
    std::vector<std::string> inputs;
    for (const std::string& input : p_.layout.inputs)
      inputs.push_back(input == name ? "row" : fmt::format("{}[{}]", input, row));
    lines.push_back(fmt::format("row = {}[{}].requires_grad_()", name, row));
    lines.push_back(fmt::format("loop = torch.autograd.grad(f({})[0, {}], row)[0]", joined(inputs),
                                p_.column_index()));
    return element("loop", "0, " + p_.element_index());
  }

  std::string vectorized_value(const Path& path, Lines& lines) override {
    lines.push_back(fmt::format("vectorized = vmap({}(f{}){})({})",
                                path.route == Route::reverse ? "jacrev" : "jacfwd", argnums(),
                                axes("in_dims"), arguments()));
    return element("vectorized",
                   fmt::format("{}, {}, {}", p_.scene.row, p_.column_index(), p_.element_index()));
  }

  /// By a function of the rows, which the first path defines.
  std::string summed_value(const Path& path, Lines& lines) override {
    const std::string& name = p_.wrt_name();
    if (lines.empty()) {
      lines = {name + ".requires_grad_()", "", "def gradient(rows):",
               fmt::format("    return torch.autograd.grad(f({}), {}, v[rows])[0]",
                           arguments_at("rows"), name),
               ""};
    }
    if (path.route == Route::whole) {
      lines.push_back(fmt::format("whole = gradient({})", python_list(path.calls.front().rows)));
      return element("whole", p_.element_index());
    }
    std::vector<std::string> parts;
    for (const Call& call : path.calls) parts.push_back(python_list(call.rows));
    append(lines, {"slices = " + python_tuple(parts),
                   "parts = sum(gradient(rows).double() for rows in slices).float()"});
    return element("parts", p_.element_index());
  }
};

}  // namespace

std::string torch_program(const Failure& failure, const std::string& file) {
  return Torch(failure, file).text();
}

}  // namespace ulpfuzz::repro
