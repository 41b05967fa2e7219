#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../plain_words.hpp"
#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz::repro {
namespace {

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
  return text;
}

bool is_library(const std::string& header) {
  return header.find(".h") != std::string::npos || header.find('/') != std::string::npos;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

Scene without_offsets(Scene scene) {
  for (Path* path : {&scene.a, &scene.b})
    for (Call& call : path->calls) call.offset = 0;
  return scene;
}

}  // namespace

Program::Program(const Failure& failure, const std::string& file, Dialect dialect, bool device)
    : failure_(failure),
      file_(file),
      device_(device),
      scene_(device ? without_offsets(scene_of(failure)) : scene_of(failure)),
      dialect_(std::move(dialect)),
      layout_(layout_of(scene_, dialect_, device)) {}

std::string Program::write() {
  std::string text = head() + headers() + globals();
  for (const std::string& helper : layout_.helpers) text += helper + "\n\n";
  text += kernels() + data();
  for (const Code& code : layout_.codes) text += function(code);
  return text + "int main() {\n" + main_text(scene_, results(layout_.a), results(layout_.b)) +
         "}\n";
}

std::vector<std::string> Program::of_kernels(std::vector<std::string> Kernel::*member) const {
  std::vector<std::string> all;
  for (const auto& [id, kernel] : layout_.kernels)
    for (const std::string& text : kernel.*member)
      if (std::count(all.begin(), all.end(), text) == 0) all.push_back(text);
  return all;
}

std::string Program::command() const {
  std::string text = compiler();
  for (const std::string& flag : of_kernels(&Kernel::flags)) text += " " + flag;
  const auto dot = file_.rfind('.');
  const bool named = dot != std::string::npos && dot > 0;
  const std::string end = named ? file_.substr(dot) : "";
  // What the compiler does not know by its name, it takes for something to link.
  if (end != (device_ ? ".cu" : ".cpp")) text += device_ ? " -x cu" : " -x c++";
  text += fmt::format(" {}", shell_word(file_));
  const std::vector<std::string> libraries = of_kernels(&Kernel::libraries);
  for (const std::string& library : libraries) text += " " + library;
  const std::string program = named ? file_.substr(0, dot) : file_ + ".out";
  text += fmt::format(" -o {} && ", shell_word(program));
  if (std::count(libraries.begin(), libraries.end(), "-lopenblas") != 0)
    text += dialect_.environment;
  return text + shell_word(program.find('/') == std::string::npos ? "./" + program : program);
}

std::string Program::head() const {
  const Failure& f = failure_;
  std::string text = fmt::format("// {}\n//\n", command());
  std::string about = fmt::format("{}, {}: ", f.subject.name(), f.property.name);
  about += f.verdict.reason.empty() ? std::string(name(f.verdict.failure)) : f.verdict.reason;
  text += comment(about + ".");
  const std::string& cause = f.cause.empty() ? f.verdict.cause : f.cause;
  const bool said = scene_.check == Check::bits || scene_.check == Check::repeated ||
                    about.find(cause) != std::string::npos;
  if (!cause.empty() && cause != "unexplained" && !said) text += comment("Cause: " + cause + ".");
  if (!f.claim.empty()) text += comment(fmt::format("Judged by the arithmetic {}.", f.claim));
  text += comment(fmt::format("Network: {}.", describe(scene_.value.network)));
  for (const std::string& remark : dialect_.remarks) text += comment(remark);
  return text;
}

std::string Program::headers() const {
  std::set<std::string> standard = standard_headers();
  std::vector<std::string> libraries;
  std::vector<std::string> wanted = of_kernels(&Kernel::headers);
  wanted.insert(wanted.end(), dialect_.headers.begin(), dialect_.headers.end());
  const Check check = scene_.check;
  if (check == Check::bits || check == Check::repeated || check == Check::unwritten)
    wanted.push_back("<cstring>");
  if (check == Check::returns)
    wanted.insert(wanted.end(), {"<unistd.h>", "<csignal>", "<cstdlib>", "<exception>"});
  if (check == Check::red_zone) wanted.push_back("<algorithm>");
  if (check == Check::environment) wanted.push_back("<immintrin.h>");
  if (layout_.shifts) wanted.insert(wanted.end(), {"<cstdint>", "<cstdlib>", "<utility>"});
  for (const std::string& helper : layout_.helpers)
    if (helper.find("std::pair") != std::string::npos) wanted.push_back("<utility>");
  for (const std::string& h : wanted) {
    if (!is_library(h))
      standard.insert(h);
    else if (std::count(libraries.begin(), libraries.end(), h) == 0)
      libraries.push_back(h);
  }
  std::string text;
  for (const std::string& h : libraries) text += fmt::format("#include {}\n", h);
  if (!libraries.empty()) text += "\n";
  for (const std::string& h : standard) text += fmt::format("#include {}\n", h);
  return text;
}

std::string Program::globals() const {
  std::string text = values_type();
  if (scene_.check == Check::unwritten)
    text += "const float unwritten = std::nanf(\"0x5a5a5\");  // what results begin as\n\n";
  if (scene_.check == Check::red_zone)
    text += "const float red = 0x1.8p+100f;  // what stands behind results\n\n";
  for (const std::string& line : dialect_.globals)
    text += replaced(line, "MANAGED ", managed_mark()) + "\n";
  return dialect_.globals.empty() ? text : text + "\n";
}

std::string Program::kernels() const {
  std::string text;
  std::set<std::string> written;
  bool maps = false;
  for (const auto& [id, kernel] : layout_.kernels) {
    for (const std::string& helper : kernel.helpers)
      if (written.insert(helper).second)
        text += replaced(helper, "DEVICE ", device_mark()) + "\n\n";
    if (kernel.maps() && !maps) text += map_helper();
    maps |= kernel.maps();
    text += kernel.maps() ? scalar_kernel(kernel) : array_kernel(kernel);
  }
  return text;
}

std::string Program::scalar_kernel(const Kernel& kernel) const {
  std::string text = fmt::format("{}float {}(float x) {{\n", device_mark(), kernel.name);
  for (const std::string& line : kernel.body) text += wrapped(line, 2);
  return text + "}\n\n";
}

std::string Program::host_kernel(const Kernel& kernel) const {
  std::string text = kernel.comment.empty() ? "" : fmt::format("// {}\n", kernel.comment);
  std::vector<std::string> parameters;
  for (const std::string& a : kernel.arrays) parameters.push_back("const Values& " + a);
  for (const std::string& n : kernel.sizes) parameters.push_back("int " + n);
  text += wrapped(fmt::format("Values {}({}) {{", kernel.name, joined(parameters)), 0);
  text += fmt::format("  Values y({}{});\n", kernel.result,
                      scene_.check == Check::unwritten ? ", unwritten" : "");
  if (!kernel.call.empty()) {
    for (const std::string& line : kernel.call) text += wrapped(line, 2);
    return text + "  return y;\n}\n\n";
  }
  const bool one_line = kernel.body.size() == 1;
  text += fmt::format("  for (int {0} = 0; {0} < {1}; ++{0}){2}\n", kernel.index, kernel.count,
                      one_line ? "" : " {");
  for (const std::string& line : kernel.body) text += wrapped(line, 4);
  return text + (one_line ? "" : "  }\n") + "  return y;\n}\n\n";
}

std::string Program::data() const {
  std::string text;
  for (std::size_t i = 0; i < layout_.data.size(); ++i) {
    const auto& [name, value] = layout_.data[i];
    text += fmt::format("const Values {} = {};  // {}\n", name, value, layout_.shapes[i]);
  }
  if (!text.empty()) text += "\n";
  return text;
}

std::string Program::function(const Code& code) const {
  std::vector<std::string> parameters;
  for (const std::string& input : code.inputs) parameters.push_back("const Values& " + input);
  if (code.takes_batch) parameters.push_back("int batch");
  std::string text = wrapped(fmt::format("Values {}({}) {{", code.name, joined(parameters)), 0);
  if (dialect_.before)
    for (const std::string& line : dialect_.before(code)) text += "  " + line + "\n";
  const std::vector<std::string> after =
      dialect_.after ? dialect_.after(code) : std::vector<std::string>{};
  const bool shifts = layout_.shifts && code.statements.size() > 1;
  if (shifts)
    text += "  const int outer = std::exchange(shift, 0);  // of inputs and results alone\n";
  for (const Statement& s : code.statements) {
    if (shifts && &s == &code.statements.back()) text += "  shift = outer;\n";
    const bool last = &s == &code.statements.back() && s.result == code.output && after.empty() &&
                      scene_.check != Check::red_zone;
    text += statement(s, last);
    if (last) return text + "}\n\n";
  }
  const bool red = scene_.check == Check::red_zone;
  if (after.empty() && !red) return text + fmt::format("  return {};\n}}\n\n", code.output);
  text += fmt::format("  Values y = {};\n", code.output);
  if (red)
    text +=
        "  y.reserve(y.size() + 16);\n  std::fill(y.data() + y.size(), y.data() + y.capacity(), "
        "red);\n";
  for (const std::string& line : after) text += "  " + line + "\n";
  return text + "  return y;\n}\n\n";
}

std::string Program::host_statement(const Statement& s, bool last) const {
  const Kernel& kernel = layout_.kernel(s.kernel);
  std::vector<std::string> arguments = s.arrays;
  if (kernel.maps()) {
    arguments.push_back(kernel.name);
  } else {
    for (const Size& size : s.sizes) arguments.push_back(size.text());
  }
  const std::string value =
      fmt::format("{}({})", kernel.maps() ? "map" : kernel.name, joined(arguments));
  return wrapped(last ? fmt::format("return {};", value)
                      : fmt::format("const Values {} = {};", s.result, value),
                 2);
}

/// "evaluate(x, 4)[7]"; without the index where whole results are looked at.
std::vector<std::string> Program::results(const std::vector<CallText>& calls) const {
  std::vector<std::string> texts;
  for (const CallText& call : calls) {
    std::string text = fmt::format("{}({})", layout_.codes[call.code].name, joined(call.arguments));
    if (scene_.check < Check::repeated) text += fmt::format("[{}]", call.call->index);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace ulpfuzz::repro
