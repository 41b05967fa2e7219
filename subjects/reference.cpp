#include "factories.hpp"
#include "plain_kernels.hpp"
#include "ulpfuzz/kernels/double_double_math.hpp"
#include "walk.hpp"

namespace ulpfuzz {
namespace {

/// Everything in T, the outputs rounded to fp32.
template <class T>
class Reference final : public Subject {
 public:
  Reference(std::string_view name, std::string_view description)
      : name_(name), description_(description) {}
  std::string_view name() const override { return name_; }
  std::string description() const override { return std::string(description_); }
  Arithmetic arithmetic() const override {
    Arithmetic arithmetic;
    arithmetic.operand = arithmetic.accumulate = Format::fp64;
    return arithmetic;
  }
  void evaluate(const Evaluation& evaluation) const override {
    walk<T>(evaluation, PlainKernels<T>{});
  }

 private:
  std::string_view name_;
  std::string_view description_;
};

}  // namespace

std::unique_ptr<const Subject> make_reference_fp64() {
  return std::make_unique<Reference<double>>("reference/fp64",
                                             "fp64 throughout, outputs rounded to fp32");
}

std::unique_ptr<const Subject> make_reference_dd() {
  return std::make_unique<Reference<kernels::DoubleDouble>>(
      "reference/dd", "double-double (106 bits) throughout, outputs rounded to fp32");
}

}  // namespace ulpfuzz
