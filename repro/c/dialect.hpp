#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../scene.hpp"
#include "code.hpp"

namespace ulpfuzz::repro {

/// The sizes with which a kernel is called in a program, one list a call.
using Uses = std::vector<std::vector<std::size_t>>;

/// What the evaluator on trial makes of a program: its kernels in place of plain ones.
struct Dialect {
  std::vector<std::string> remarks;  ///< sentences for the head of the program
  std::vector<std::string> headers;  ///< "<cblas.h>"
  std::string environment;           ///< "OPENBLAS_CORETYPE=Haswell ": of OpenBLAS
  std::vector<std::string> globals;  ///< lines behind the headers
  /// Puts the kernel on trial in place of the plain one.
  std::function<void(Kernel&, const KernelId&, const Uses&)> adapt;
  /// Lines at the begin of a function, and at its end, where its result is y.
  std::function<std::vector<std::string>(const Code&)> before, after;
};

/// The kernels of a planted fault: the lines that are wrong.
Dialect fault_dialect(const std::string& fault);
/// Faults of conduct: what is written, left, thrown. Nothing for others.
std::optional<Dialect> conduct_dialect(const std::string& fault);
/// The same calls with the same layouts as the subject `openblas`.
Dialect openblas_dialect();
Dialect eigen_dialect();
/// Products with the operands that the profile chooses by shape.
Dialect simt_dialect(const std::string& profile);
/// Plain loops: a user's own evaluator has to be put in their place.
Dialect plain_dialect(const std::string& subject);

/// The calls of cublas/... or cublaslt/..., for a device.
Dialect cublas_dialect(const std::string& subject);

/// For a host. Throws std::invalid_argument for a subject that has no such program.
Dialect dialect_of(const std::string& subject);

/// y[r * n + j] in loops over j < n of a linear layer: `lines` come first and compute sum, of
/// element (r, j); `value` is what is written, with BIAS for "+ bias[j]".
std::vector<std::string> linear_body(const std::vector<std::string>& before,
                                     const std::vector<std::string>& sum, const std::string& value,
                                     bool bias);

}  // namespace ulpfuzz::repro
