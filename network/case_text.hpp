#pragma once

#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/network/case_file.hpp"

// Which fields a node has in the text form beside "op" and "args"; the rest is inferred. Writer and
// reader must agree.
namespace ulpfuzz {

inline bool has_shape(Op op) {
  return op == Op::input || op == Op::parameter || op == Op::reshape || op == Op::basis;
}
inline bool has_start(Op op) { return op == Op::slice || op == Op::pad; }
inline bool has_cols(Op op) { return has_start(op) || op == Op::unit_tangents; }

}  // namespace ulpfuzz
