#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz::repro {

/// Lines of a Python program.
using Lines = std::vector<std::string>;

/// Longest line, but for what closes it.
inline constexpr std::size_t text_width = 98;

std::string joined(const std::vector<std::string>& parts, std::string_view between = ", ");

/// A statement that is too long, broken behind commas in brackets.
std::string python_wrapped(const std::string& statement);

/// "# ..." in lines that are not too long.
Lines python_comment(const std::string& text);

/// Exact: "1.5" where a short decimal is, else h("0x1.99999ap-4"), h being float.fromhex.
std::string python_number(double x);

/// "(3, 4)", "(4,)"
std::string python_tuple(const std::vector<std::size_t>& values);
/// "([0], [1])", "([0],)"
std::string python_tuple(const std::vector<std::string>& parts);
/// "[0, 2]"
std::string python_list(std::span<const std::uint32_t> values);
/// A range where it is one: "0:4", else python_list().
std::string python_rows(std::span<const std::uint32_t> rows);

}  // namespace ulpfuzz::repro
