#include "nearest_op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz {
namespace {

// What frameworks call it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> elsewhere{{
    {"gelu", "gelu_erf (PyTorch's default) or gelu_tanh (JAX's default)"},
    {"swish", "silu"},
    {"logistic", "sigmoid"},
    {"dense", "linear"},
    {"fc", "linear"},
    {"gemm", "linear"},
    {"addmm", "linear"},
    {"flatten", "reshape with the rows and columns"},
    {"dropout", "nothing: it is off where results are compared"},
    {"identity", "nothing: leave it out"},
    {"multiply", "mul"},
}};

// Letters put in, left out, replaced, or swapped with the next.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] != b[j])});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
    }
    two_above = above;
    above.swap(row);
  }
  return above.back();
}

}  // namespace

std::string op_remedy(std::string_view word) {
  std::string lower(word.substr(0, 40));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const auto& [other, ours] : elsewhere)
    if (lower == other) return fmt::format("write {}", ours);
  std::string_view best;
  std::size_t least = 3;  // a third edit makes another word
  for (int i = 0; i < op_count; ++i) {
    const std::string_view candidate = name(static_cast<Op>(i));
    const std::size_t distance = edits(lower, candidate);
    if (distance < least && distance * 2 < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best.empty() ? "`ulpfuzz list ops` names them" : fmt::format("write {}", best);
}

}  // namespace ulpfuzz
