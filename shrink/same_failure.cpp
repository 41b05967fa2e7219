#include <algorithm>
#include <string_view>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {
namespace {

bool unexplained(std::string_view cause) {
  return cause.empty() || cause.find("unexplained") != std::string_view::npos;
}

}  // namespace

bool same_failure(const Verdict& original, const Verdict& candidate) {
  if (!candidate.failed() || candidate.failure != original.failure) return false;
  const bool told = !unexplained(original.cause) && !unexplained(candidate.cause);
  if (told && candidate.cause != original.cause) return false;
  if (original.failure == FailureClass::not_bitwise)
    return original.first_op.empty() || candidate.first_op == original.first_op;
  if (original.failure != FailureClass::beyond_bound) return true;
  return candidate.share >= std::clamp(original.share / 2, 1.0, 2.0);
}

}  // namespace ulpfuzz
