#pragma once

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ulpfuzz/network/network.hpp"

// How shape rules say no: std::invalid_argument, naming the op, what it got and what would fit.
namespace ulpfuzz {

template <class... T>
[[noreturn]] void refuse(const Node& node, fmt::format_string<T...> text, T&&... values) {
  throw std::invalid_argument(
      fmt::format("{}: {}", name(node.op), fmt::format(text, std::forward<T>(values)...)));
}

inline std::string what(const Node& node) {
  constexpr std::array<std::string_view, 3> axes = {"shared", "batch", "repeated"};
  return fmt::format("{} {}", axes[static_cast<std::size_t>(node.axis)], to_string(node.shape));
}

inline bool shared(const Node& node) { return node.axis == Axis::shared; }

inline void need_rows(const Node& node, const Node& x) {
  if (shared(x)) {
    refuse(node, "the operand is {}; a value per batch row would fit", what(x));
  }
}

inline void need_shared(const Node& node, const Node& x, std::string_view part) {
  if (!shared(x)) refuse(node, "the {} is {}; a shared value would fit", part, what(x));
}

}  // namespace ulpfuzz
