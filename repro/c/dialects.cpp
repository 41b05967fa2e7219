#include <fmt/format.h>

#include <stdexcept>

#include "dialect.hpp"

namespace ulpfuzz::repro {

Dialect plain_dialect(const std::string& subject) {
  Dialect d;
  if (subject == "loops") return d;
  d.adapt = [subject](Kernel& kernel, const KernelId& id, const Uses&) {
    if (id.spread || (id.op != Op::linear && id.op != Op::matmul && id.op != Op::outer_sum)) return;
    kernel.comment += fmt::format(". PUT THE CALL OF {} HERE.", subject);
  };
  d.remarks = {fmt::format(
      "The loops below are plain: put the calls of {} in their place, where it says so.", subject)};
  return d;
}

Dialect dialect_of(const std::string& subject) {
  if (subject.starts_with("fault/")) return fault_dialect(subject.substr(6));
  if (subject == "openblas") return openblas_dialect();
  if (subject == "eigen") return eigen_dialect();
  if (subject.starts_with("simt/") || subject.starts_with("cuda/"))
    return simt_dialect(subject.substr(5));
  if (subject.starts_with("cublas")) {
    throw std::invalid_argument(fmt::format("{} runs on a device; cuda would fit", subject));
  }
  return plain_dialect(subject);
}

}  // namespace ulpfuzz::repro
