#include <fmt/format.h>

#include <cmath>

#include "program.hpp"

namespace ulpfuzz::repro {
namespace {

struct Words {
  std::string ok;      ///< expression: does the check hold?
  std::string bound;   ///< what the bound is about, behind it
  std::string passed;  ///< what is printed then
  std::string failed;
};

std::string bound_words(Tier tier) {
  switch (tier) {
    case Tier::exact:
      return "nothing can round here";
    case Tier::sound:
      return "any order of summation, with or without FMA";
    case Tier::probabilistic:
      return "roundings as if by chance";
    default:
      return {};
  }
}

std::string same_class(const Scene& s) {
  if (s.b.route == Route::exact && std::isnan(s.reference)) return "math.isnan(a)";
  if (s.b.route == Route::exact) return std::isinf(s.reference) ? "a == b" : "math.isfinite(a)";
  return "a == b or math.isnan(a) and math.isnan(b) or math.isfinite(a) and math.isfinite(b)";
}

Words words_of(const Scene& s, Tier tier) {
  switch (s.check) {
    case Check::bound:  // the exact result is finite: NaN on both sides is no agreement
      if (s.bound > 0)
        return {"difference <= bound", bound_words(tier), "within the bound",
                "{difference / bound:.3g} times the bound"};
      return {"difference <= bound", bound_words(tier), "equal", "not equal"};
    case Check::number_class:
      return {same_class(s), "only NaN and infinities are compared", "of one class",
              "NaN or infinity on one side"};
    default:
      return {"a.hex() == b.hex()", "the same bits are asked for", "the same bits", "other bits"};
  }
}

std::string behind(const std::string& text) { return text.empty() ? "" : "  " + text; }

/// In two literals where one makes too long a line.
Lines first_print(const std::string& path, const std::string& where) {
  const std::string start = fmt::format("print(f\"a = {{a.hex()}} ({{a:.9g}})  {}, ", path);
  if (start.size() + where.size() + 2 <= 100) return {start + where + "\")"};
  return {start + "\"", fmt::format("      \"{}\")", where)};
}

}  // namespace

Lines PythonProgram::verdict(const std::string& a, const std::string& b) const {
  const Words said = words_of(scene, failure.verdict.worst.tier);
  const std::string other = b.empty() ? python_number(scene.reference) : b;
  Lines lines{"a = " + a, "b = " + other};
  if (b.empty() && std::isfinite(scene.reference))
    lines.back() += "  # the exact result, to float64";
  lines.push_back(fmt::format("difference, bound = abs(a - b), {}", python_number(scene.bound)));
  lines.push_back("ok = " + said.ok);
  const std::string again = scene.check == Check::repeated ? "the same again" : words(scene.b);
  append(lines, first_print(words(scene.a), scene.where));
  lines.push_back(fmt::format("print(f\"b = {{b.hex()}} ({{b:.9g}})  {}\")", again));
  lines.emplace_back("print(f\"difference = {difference.hex()} ({difference:.3g})\")");
  lines.push_back(
      fmt::format("print(f\"bound = {{bound.hex()}} ({{bound:.3g}}){}\")", behind(said.bound)));
  const char* formatted = said.failed.find('{') == std::string::npos ? "" : "f";
  lines.push_back(fmt::format("print(\"ok: {}\" if ok else {}\"FAIL: {}\")", said.passed, formatted,
                              said.failed));
  lines.emplace_back("sys.exit(0 if ok else 1)");
  return lines;
}

}  // namespace ulpfuzz::repro
