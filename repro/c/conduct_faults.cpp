#include <fmt/format.h>

#include "dialect.hpp"

namespace ulpfuzz::repro {
namespace {

Dialect deeds(Lines headers, Lines before, Lines after) {
  Dialect d;
  d.headers = std::move(headers);
  d.before = [before](const Code&) { return before; };
  d.after = [after](const Code&) { return after; };
  return d;
}

const std::string flush_on = "_mm_setcsr(_mm_getcsr() | 0x8040);  // FTZ and DAZ";
const std::string flush_off = "_mm_setcsr(_mm_getcsr() & ~0x8040u);";

}  // namespace

std::optional<Dialect> conduct_dialect(const std::string& fault) {
  if (fault == "flushes_subnormals") return deeds({"<immintrin.h>"}, {flush_on}, {flush_off});
  if (fault == "leaves_ftz_on") return deeds({"<immintrin.h>"}, {}, {flush_on});
  if (fault == "unwritten_tail")
    return deeds({}, {}, {"if (y.size() > 1) y.back() = unwritten;  // as if never written"});
  if (fault == "forgets_rows_beyond_16") {
    Dialect d;
    d.after = [](const Code& code) -> Lines {
      const std::size_t from = 16 * code.output_node->shape.size();
      return {fmt::format("for (std::size_t i = {}; i < y.size(); ++i) y[i] = unwritten;", from)};
    };
    return d;
  }
  if (fault == "overruns") return deeds({}, {}, {"y.data()[y.size()] = 1;  // one too many"});
  if (fault == "nondeterministic")
    return deeds({}, {},
                 {"static unsigned calls = 0;", "if (calls++ % 2 != 0)",
                  "  for (float& v : y) v *= 1.001f;"});
  const std::string above = "if (batch > 4) ";
  if (fault == "throws_above_batch")
    return deeds({"<stdexcept>"}, {},
                 {above + "throw std::runtime_error(\"batch too large for the workspace\");"});
  if (fault == "crashes_above_batch")
    return deeds({"<csignal>"}, {}, {above + "std::raise(SIGSEGV);"});
  if (fault == "hangs_above_batch")
    return deeds(
        {"<chrono>", "<thread>"}, {},
        {"while (batch > 4) std::this_thread::sleep_for(std::chrono::milliseconds(100));"});
  if (fault == "allocates_above_batch")  // of a machine that others need, a gibibyte
    return deeds({"<sys/resource.h>", "<cstring>"}, {},
                 {"const rlimit most{1u << 30, 1u << 30};", "setrlimit(RLIMIT_DATA, &most);",
                  "while (batch > 4) std::memset(new char[1 << 24], 1, 1 << 24);"});
  if (fault == "allocates_much_above_batch")
    return deeds({}, {},
                 {"static char* volatile huge;", above + "huge = new char[std::size_t{1} << 45];"});
  return std::nullopt;
}

}  // namespace ulpfuzz::repro
