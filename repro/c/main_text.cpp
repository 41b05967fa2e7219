#include <fmt/format.h>

#include <cmath>

#include "../numbers.hpp"
#include "program.hpp"

namespace ulpfuzz::repro {
namespace {

/// Lines of main, indented by two.
class Main {
 public:
  explicit Main(const Scene& scene) : s_(scene) {}

  std::string elements(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    value("a", a, s_.a);
    if (s_.b.route == Route::exact)
      line(fmt::format("const double b = {};  // the exact result", cpp_double(s_.reference)));
    else
      value("b", b, s_.b);
    if (s_.check == Check::number_class && s_.b.route != Route::exact)
      line(fmt::format("const double exact = {};", cpp_double(s_.reference)));
    line(s_.b.route == Route::exact ? "const double difference = std::fabs(a - b);"
                                    : "const double difference = std::fabs(a - double(b));");
    if (s_.check != Check::number_class)
      line(fmt::format("const double bound = {};{}", cpp_double(s_.bound), bound_remark()));
    print_both();
    line("std::printf(\"difference = %a (%.3g)\\n\", difference, difference);");
    if (s_.check == Check::number_class) {
      line("std::puts(\"bound = none: not finite\");");
      verdict_of_class();
    } else {
      line("std::printf(\"bound = %a (%.3g)\\n\", bound, bound);");
      verdict_of_bound();
    }
    return std::move(text_);
  }

  std::string repeated(const std::string& whole) {
    line(fmt::format("const Values first = {};", whole));
    line("Values again = first;");
    line("const auto same = [&] {");
    line("  return std::memcmp(&first[0], &again[0], first.size() * sizeof(float)) == 0;");
    line("};");
    line(fmt::format("for (int k = 0; k < 16 && same(); ++k) again = {};", whole));
    line("std::size_t i = 0;  // the first element that differs");
    line(
        "while (i + 1 < first.size() && std::memcmp(&first[i], &again[i], sizeof(float)) == 0) "
        "++i;");
    line("const float a = first[i], b = again[i];");
    line("const double difference = std::fabs(a - double(b));");
    print("a", s_.a.words + ", first call");
    print("b", "the same call again");
    line("std::printf(\"difference = %a (%.3g)\\n\", difference, difference);");
    line("std::puts(\"bound = 0: the same call, the same bits\");");
    line("const bool fails = std::memcmp(&a, &b, sizeof a) != 0;");
    verdict("the same call gives other bits", "the same bits each time");
    return std::move(text_);
  }

  std::string unwritten(const std::string& whole) {
    line(fmt::format("const Values y = {};", whole));
    line("std::size_t kept = 0;");
    line("for (const float& v : y) kept += std::memcmp(&v, &unwritten, sizeof v) == 0;");
    line("std::printf(\"a = %zu of %zu elements unwritten\\nb = 0\\n\", kept, y.size());");
    line("std::printf(\"difference = %zu\\nbound = 0\\n\", kept);");
    line("const bool fails = kept != 0;");
    verdict("elements of the result were never written", "all are written");
    return std::move(text_);
  }

  std::string environment(const std::string& whole) {
    line("const unsigned before = _mm_getcsr() & ~0x3fu;  // but for the exceptions seen");
    line(fmt::format("{};", whole));
    line("const unsigned after = _mm_getcsr() & ~0x3fu;");
    line("std::printf(\"a = MXCSR %#x after the call\\nb = MXCSR %#x before\\n\", after, before);");
    line("std::printf(\"difference = %#x\\nbound = 0\\n\", after ^ before);");
    line("const bool fails = after != before;");
    verdict("the floating-point environment is left changed", "it is left as it was");
    return std::move(text_);
  }

  std::string returns(const std::string& whole) {
    line("const auto die = [](int) {");
    line("  std::puts(\"FAIL: it crashed, or did not return within 10 s\");");
    line("  std::fflush(stdout);");
    line("  std::_Exit(1);");
    line("};");
    line(
        "for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(s, "
        "die);");
    line("alarm(10);");
    line("try {");
    line(fmt::format("  {};", whole));
    line("} catch (const std::exception& e) {");
    line("  std::printf(\"FAIL: it throws: %s\\n\", e.what());");
    line("  return 1;");
    line("}");
    line("std::puts(\"ok: it returns\");");
    return std::move(text_);
  }

  std::string red_zone(const std::string& whole) {
    line(fmt::format("const Values y = {};", whole));
    line("std::size_t overwritten = 0;");
    line("for (std::size_t i = y.size(); i < y.capacity(); ++i)");
    line("  overwritten += y.data()[i] != red;");
    line(
        "std::printf(\"a = %zu elements behind the result overwritten\\nb = 0\\n\", overwritten);");
    line("std::printf(\"difference = %zu\\nbound = 0\\n\", overwritten);");
    line("const bool fails = overwritten != 0;");
    verdict("memory behind the result was written", "nothing behind it is written");
    return std::move(text_);
  }

 private:
  /// Buffers begin so many floats behind a 64-byte boundary from here on.
  void shift_to(const Path& path) {
    if (s_.a.calls.front().offset == 0 && (s_.b.calls.empty() || s_.b.calls.front().offset == 0))
      return;
    line(fmt::format("shift = {};", path.calls.front().offset));
  }

  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  void value(const char* name, const std::vector<std::string>& calls, const Path& path) {
    shift_to(path);
    if (path.route != Route::micro) {
      const std::string code = fmt::format("const float {} = {};", name, calls.front());
      constexpr std::size_t room = 92;
      if (code.size() + path.words.size() > room) {
        line("// " + path.words);
        text_ += wrapped(code, 2);
      } else {
        line(fmt::format("{}  // {}", code, path.words));
      }
      return;
    }
    line("double sum = 0;  // micro-batches, added up");
    for (const std::string& call : calls) text_ += wrapped(fmt::format("sum += {};", call), 2);
    line(fmt::format("const float {} = float(sum);", name));
  }

  std::string bound_remark() const {
    if (s_.check == Check::bits) return "";
    return s_.bound == 0 ? "  // nothing here has anything to round"
                         : "  // what any order of summation, FMA and the bias may make";
  }

  void print(const char* name, const std::string& words) {
    line(fmt::format("std::printf(\"{0} = %a (%.9g)  {1}\\n\", {0}, {0});", name, words));
  }
  void print_both() {
    print("a", fmt::format("{}, {}", s_.a.words, s_.where));
    print("b", s_.b.words);
  }

  void verdict(const char* bad, const char* good) {
    line(fmt::format("std::puts(fails ? \"FAIL: {}\" : \"ok: {}\");", bad, good));
    line("return fails;");
  }

  void verdict_of_class() {
    line("const auto kind = [](double v) {");
    line(
        "  return std::isnan(v) ? \"NaN\" : std::isinf(v) ? v > 0 ? \"+inf\" : \"-inf\" : "
        "\"finite\";");
    line("};");
    line(s_.b.route == Route::exact
             ? "const bool fails = kind(a) != kind(b);"
             : "const bool fails = kind(a) != kind(exact) || kind(b) != kind(exact);");
    line(
        "std::printf(\"%s: a is %s, b is %s, exactly it is %s\\n\", fails ? \"FAIL\" : \"ok\", "
        "kind(a), kind(b),");
    line(fmt::format("            kind({}));", s_.b.route == Route::exact ? "b" : "exact"));
    line("return fails;");
  }

  void verdict_of_bound() {
    if (s_.check == Check::bits) {
      line("const bool fails = std::memcmp(&a, &b, sizeof a) != 0;");
      verdict("the bits differ", "the same bits");
    } else {
      line("const bool fails = !(difference <= bound);");
      verdict("the difference is above the bound", "it is within the bound");
    }
  }

  const Scene& s_;
  std::string text_;
};

}  // namespace

std::string main_text(const Scene& scene, const std::vector<std::string>& a,
                      const std::vector<std::string>& b) {
  Main main(scene);
  switch (scene.check) {
    case Check::bound:
    case Check::number_class:
    case Check::bits:
      return main.elements(a, b);
    case Check::repeated:
      return main.repeated(a.front());
    case Check::unwritten:
      return main.unwritten(a.front());
    case Check::red_zone:
      return main.red_zone(a.front());
    case Check::environment:
      return main.environment(a.front());
    default:
      return main.returns(a.front());
  }
}

}  // namespace ulpfuzz::repro
