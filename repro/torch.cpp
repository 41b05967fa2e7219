#include <fmt/format.h>

#include "python_languages.hpp"
#include "python_program.hpp"
#include "python_spellers.hpp"

namespace ulpfuzz::repro {
namespace {

class Torch {
 public:
  Torch(const Failure& failure, const std::string& file) : p_(failure, file) {}

  std::string text() {
    const Network& network = p_.network();
    std::set<std::string> helpers;
    const Lines body =
        python_body(network, p_.layout, network.outputs().front(), spell_torch, helpers);
    Lines lines = settings();
    append(lines, p_.data(Arrays::torch));
    lines.push_back(on_device());
    lines.emplace_back();
    append(lines, torch_helpers(helpers));
    lines.push_back(fmt::format("def f({}):", arguments()));
    append(lines, body);
    lines.emplace_back();
    append(lines, paths());
    return p_.put_together(imports(lines), lines);
  }

 private:
  bool summed() const { return p_.takes_cotangents(); }
  bool by_parameter() const { return p_.scene.gradient && !p_.wrt_input(); }

  /// What f takes: inputs, and the parameter that a gradient is asked of.
  std::string arguments() const {
    return by_parameter() ? p_.inputs() + ", " + p_.wrt_name() : p_.inputs();
  }
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
      lines.push_back(
          fmt::format("torch.backends.cuda.matmul.allow_tf32 = True  # as {} has it",
                      p_.failure.claim.empty() ? p_.failure.subject.name() : p_.failure.claim));
    return lines;
  }

  std::string on_device() const {
    const std::string names = joined(p_.data_names());
    if (p_.data_names().size() == 1) return fmt::format("{} = {}.to(device)", names, names);
    const std::string flat = fmt::format("{} = (t.to(device) for t in ({}))", names, names);
    if (flat.size() <= 98) return flat;
    return fmt::format("({}) = (t.to(device) for t in ({}))", names, names);
  }

  std::string item(const std::string& array, const std::string& index) const {
    return fmt::format("{}[{}].item()", array, index);
  }

  std::string slice_inputs(const Call& call) const {
    const std::string rows = python_list(call.rows);
    if (call.padding == 0) return p_.inputs_at(rows);
    std::vector<std::string> parts;
    for (const std::string& name : p_.layout.inputs)
      parts.push_back(fmt::format("F.pad({}[{}], ({}0, {}))", name, rows,
                                  p_.layout.matrices ? "0, 0, 0, 0, " : "0, 0, ", call.padding));
    return joined(parts);
  }

  std::string forward_value(const Path& path, Lines& lines, const char* name) const {
    const Call& call = path.calls.front();
    const std::size_t width = p_.value().output_width();
    const bool whole = path.route == Route::batch;
    lines.push_back(fmt::format("{} = f({})", name, whole ? p_.inputs() : slice_inputs(call)));
    return item(name, p_.output_index(call.index / width, call.index % width));
  }

  /// One output of one row, by autograd.
  std::string loop_value(Lines& lines) const {
    const std::string row = fmt::format("[{}]", p_.scene.row);
    const std::string name = p_.wrt_name();
    if (by_parameter()) {
      lines.push_back(fmt::format("{}.requires_grad_()", name));
      lines.push_back(fmt::format("loop = torch.autograd.grad(f({})[0, {}], {})[0]",
                                  arguments_at(row), p_.column_index(), name));
      return item("loop", p_.element_index());
    }
    std::vector<std::string> inputs;
    for (const std::string& input : p_.layout.inputs)
      inputs.push_back(input == name ? "row" : fmt::format("{}[{}]", input, row));
    lines.push_back(fmt::format("row = {}[{}].requires_grad_()", name, row));
    lines.push_back(fmt::format("loop = torch.autograd.grad(f({})[0, {}], row)[0]", joined(inputs),
                                p_.column_index()));
    return item("loop", "0, " + p_.element_index());
  }

  /// All outputs of all rows at once.
  std::string vectorized_value(bool reverse, Lines& lines) const {
    const std::size_t inputs = p_.layout.inputs.size();
    std::string options;
    std::string dims;
    if (by_parameter()) {
      options = fmt::format(", argnums={}", inputs);
      dims = ", in_dims=(";
      for (std::size_t i = 0; i < inputs; ++i) dims += "0, ";
      dims += "None)";
    } else if (p_.scene.wrt != 0) {
      options = fmt::format(", argnums={}", p_.scene.wrt);
    }
    lines.push_back(fmt::format("vectorized = vmap({}(f{}){})({})", reverse ? "jacrev" : "jacfwd",
                                options, dims, arguments()));
    return item("vectorized",
                fmt::format("{}, {}, {}", p_.scene.row, p_.column_index(), p_.element_index()));
  }

  /// Batch-summed gradients, by a function of the rows that it is defined with once.
  std::string summed_value(const Path& path, Lines& lines) const {
    const std::string& name = p_.wrt_name();
    if (lines.empty()) {
      lines = {name + ".requires_grad_()", "", "def gradient(rows):",
               fmt::format("    return torch.autograd.grad(f({}), {}, v[rows])[0]",
                           arguments_at("rows"), name),
               ""};
    }
    if (path.route == Route::whole) {
      lines.push_back(fmt::format("whole = gradient({})", python_list(path.calls.front().rows)));
      return item("whole", p_.element_index());
    }
    std::vector<std::string> parts;
    for (const Call& call : path.calls) parts.push_back(python_list(call.rows));
    append(lines, {"slices = " + python_tuple(parts),
                   "parts = sum(gradient(rows).double() for rows in slices).float()"});
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

  /// The same again, often enough to see it change.
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

std::string torch_program(const Failure& failure, const std::string& file) {
  return Torch(failure, file).text();
}

}  // namespace ulpfuzz::repro
