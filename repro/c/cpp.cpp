#include "cpp.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "program.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr const char* shifted_values = R"(
// Arrays that begin `shift` floats behind a 64-byte boundary.
int shift = 0;
template <class T>
struct Shifted {
  using value_type = T;
  T* allocate(std::size_t n) {
    return static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64)) + shift;
  }
  void deallocate(T* p, std::size_t) {
    std::free(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) / 64 * 64));
  }
  bool operator==(const Shifted&) const { return true; }
  bool operator!=(const Shifted&) const { return false; }
};
using Values = std::vector<float, Shifted<float>>;

)";

class CppProgram final : public Program {
 public:
  CppProgram(const Failure& failure, const std::string& file)
      : Program(failure, file, dialect_of(std::string(failure.subject.name())), false) {}

 private:
  std::string compiler() const override { return "g++ -O2 -std=c++17 -ffp-contract=off"; }
  std::set<std::string> standard_headers() const override {
    return {"<cmath>", "<cstdio>", "<vector>"};
  }
  std::string device_mark() const override { return ""; }
  std::string managed_mark() const override { return ""; }
  std::string values_type() const override {
    return layout().shifts ? shifted_values : "\nusing Values = std::vector<float>;\n\n";
  }
  std::string map_helper() const override {
    return R"(Values map(Values x, float (*f)(float)) {
  for (float& v : x) v = f(v);
  return x;
}

)";
  }
  std::string array_kernel(const Kernel& kernel) const override { return host_kernel(kernel); }
  std::string statement(const Statement& statement, bool last) const override {
    return host_statement(statement, last);
  }
};

}  // namespace

std::string cpp_program(const Failure& failure, const std::string& file) {
  CppProgram program(failure, file);
  const bool planted = failure.subject.name().starts_with("fault/");
  if (program.scene().check == Check::red_zone && !planted && failure.subject.name() != "loops") {
    throw std::invalid_argument(
        "memory written behind a result, which a program cannot show whose memory is its own; the "
        "evaluator built with -fsanitize=address would fit");
  }
  return program.write();
}

}  // namespace ulpfuzz::repro
