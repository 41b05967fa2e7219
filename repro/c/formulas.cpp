#include "formulas.hpp"

#include <fmt/format.h>

#include <cctype>

namespace ulpfuzz::repro {
namespace {

// As in kernels/activation.hpp, to the last rounding.
constexpr const char* logistic = "(x < 0 ? f : 1) / (1 + f)";
constexpr const char* minus_magnitude = "-std::fabs(x)";
constexpr const char* erf_argument = "x * 0.70710678118654752440f";
constexpr const char* tanh_argument = "0.79788456080286535588f * (x + 0.044715f * (x * x * x))";
const std::string let_s = "const float s = (x < 0 ? f : 1) / (1 + f);";

Formula plain(std::string value) { return {"", "", "", "", {}, std::move(value)}; }
Formula of(std::string first, std::string argument, std::string value) {
  return {std::move(first), std::move(argument), "", "", {}, std::move(value)};
}

Formula value_of(Op op, const std::string& alpha) {
  switch (op) {
    case Op::relu:
      return plain("x < 0 ? 0 : x");
    case Op::leaky_relu:
      return plain("x < 0 ? " + alpha + " * x : x");
    case Op::tanh:
      return of("tanh", "x", "f");
    case Op::sigmoid:
      return of("exp", minus_magnitude, logistic);
    case Op::silu:
      return of("exp", minus_magnitude, fmt::format("x * ({})", logistic));
    case Op::gelu_erf:
      return of("erf", erf_argument, "0.5f * x * (1 + f)");
    case Op::gelu_tanh:
      return of("tanh", tanh_argument, "0.5f * x * (1 + f)");
    case Op::softplus:
      return {"exp", minus_magnitude, "log1p", "f", {}, "(x < 0 ? 0 : x) + g"};
    default:
      return of("expm1", "x > 0 ? 0 : x", "x > 0 ? x : " + alpha + " * f");
  }
}

Formula derivative_of(Op op, const std::string& alpha) {
  switch (op) {
    case Op::relu:
      return plain("x > 0 ? 1 : x <= 0 ? 0 : x");
    case Op::leaky_relu:
      return plain("x > 0 ? 1 : x <= 0 ? " + alpha + " : x");
    case Op::tanh:
      return of("tanh", "x", "1 - f * f");
    case Op::sigmoid:
      return {"exp", minus_magnitude, "", "", {let_s}, "s * (1 - s)"};
    case Op::silu:
      return {"exp", minus_magnitude, "", "", {let_s}, "s * (1 + x * (1 - s))"};
    case Op::gelu_erf:
      return {"erf",           erf_argument, "exp",
              "-0.5f * x * x", {},           "0.5f * (1 + f) + x * (g * 0.39894228040143267794f)"};
    case Op::gelu_tanh:
      return {
          "tanh",
          tanh_argument,
          "",
          "",
          {"const float left = 0.5f * (1 + f);", "const float slope = 1 - f * f;",
           "const float inner =", "    0.79788456080286535588f * (1 + 3 * 0.044715f * (x * x));"},
          "slope == 0 ? left : left + 0.5f * x * slope * inner"};
    case Op::softplus:
      return of("exp", minus_magnitude, logistic);
    default:
      return of("exp", "x > 0 ? 0 : x", "x > 0 ? 1 : " + alpha + " * f");
  }
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

Formula formula_of(const KernelId& id) {
  const std::string alpha = short_float(id.alpha);
  return id.op == Op::derivative ? derivative_of(id.of, alpha) : value_of(id.op, alpha);
}

std::string function_name(const KernelId& id) {
  if (id.op == Op::derivative) return fmt::format("{}_derivative", name(id.of));
  return id.op == Op::tanh ? "tanh_" : std::string(name(id.op));
}

std::string short_float(float x) {
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "f";
}

std::vector<std::string> body_of(const Formula& formula) {
  if (formula.value == "f")
    return {fmt::format("return std::{}({});", formula.first, formula.first_argument)};
  std::vector<std::string> lines;
  if (!formula.first.empty())
    lines.push_back(
        fmt::format("const float f = std::{}({});", formula.first, formula.first_argument));
  if (!formula.second.empty())
    lines.push_back(
        fmt::format("const float g = std::{}({});", formula.second, formula.second_argument));
  lines.insert(lines.end(), formula.lets.begin(), formula.lets.end());
  lines.push_back(fmt::format("return {};", formula.value));
  return lines;
}

std::vector<std::string> array_lines(
    const Formula& formula,
    const std::function<std::string(const std::string&, const std::string&)>& call) {
  const auto at_i = [](std::string text) {
    for (const char* name : {"x", "f", "g"})
      text = with_word(text, name, std::string(name) + "[i]");
    return text;
  };
  const std::string loop = "for (int i = 0; i < count; ++i) ";
  std::vector<std::string> lines;
  const auto assign = [&](const char* to, const std::string& value) {
    const std::string line = fmt::format("{}[i] = {};", to, at_i(value));
    constexpr std::size_t room = 60;
    if (line.size() <= room) {
      lines.push_back(loop + line);
    } else {
      lines.push_back("for (int i = 0; i < count; ++i)");
      lines.push_back("  " + line);
    }
  };
  lines.push_back(formula.second.empty() ? "Values f(count);" : "Values f(count), g(count);");
  assign("f", formula.first_argument);
  lines.push_back(call("f", formula.first));
  if (!formula.second.empty()) {
    assign("g", formula.second_argument);
    lines.push_back(call("g", formula.second));
  }
  if (formula.lets.empty()) {
    assign("y", formula.value);
    return lines;
  }
  lines.push_back(loop + "{");
  for (const std::string& let : formula.lets) lines.push_back("  " + at_i(let));
  lines.push_back(fmt::format("  y[i] = {};", at_i(formula.value)));
  lines.push_back("}");
  return lines;
}

std::string with_word(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, word.size(), by);
    at = whole ? at + by.size() : end;
  }
  return text;
}

}  // namespace ulpfuzz::repro
