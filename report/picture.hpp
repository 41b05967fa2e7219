#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/network/case.hpp"

/// A case as a small picture: ops from left to right, its batch and slices as bars.
namespace ulpfuzz::report::page {

/// A box: an op, or several neighbours in order of evaluation that are left out together.
struct Box {
  NodeId first = 0;
  std::size_t left_out = 0;  ///< 0: `first` itself is drawn
  std::size_t column = 0;    ///< longest way to it from the left
  std::size_t lane = 0;      ///< from above, in its column
};

struct Arrow {
  std::size_t from = 0, to = 0;  ///< boxes
  bool operator==(const Arrow&) const = default;
};

/// What is drawn of a network: inputs and ops, no parameters.
struct Sketch {
  std::vector<Box> boxes;  ///< in order of evaluation
  std::vector<Arrow> arrows;
  std::size_t columns = 0;
  std::size_t left_out = 0;
};

/// At most `most` ops are drawn; of more the first and last three, and those around `marked`.
Sketch sketch(const Network& network, std::optional<NodeId> marked, std::size_t most = 12);

/// The op at which the paths part, as `account` (minimal.txt) calls it, else `first_op`: of several
/// of that name the one that the account calls "first to fail", else the first.
std::optional<NodeId> first_to_differ(const Network& network, std::string_view first_op,
                                      std::string_view account);

/// The row of the batch that `account` calls the worst element's.
std::optional<std::uint32_t> worst_row(std::string_view account);

struct PictureOptions {
  std::size_t columns = 3;  ///< in a row of the picture; 3 fill 320 pixels
  std::optional<NodeId> marked;
  std::optional<std::uint32_t> row;  ///< of the batch, marked too
  std::string name;                  ///< class of the svg element
};

/// An svg element, its colours left to the style sheet of the page.
std::string picture(const Case& c, const PictureOptions& options);

}  // namespace ulpfuzz::report::page
