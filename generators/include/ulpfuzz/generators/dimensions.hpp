#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// A size of a case that can be varied while the network stays what it is.
struct Dimension {
  enum class Kind : std::uint8_t {
    batch,
    padding,  ///< rows of zeros after slice `index`
    /// Feature columns or rows of node `index`, with all dimensions that ops hold equal to them.
    columns,
    rows
  };
  std::string name;        ///< "batch", "outputs of linear 2, inner dimension of linear 5"
  std::string symbol;      ///< in formulas: "batch", "padding", "K", "N", "M", "width", "rows"
  std::uint32_t size = 0;  ///< that the case has
  Kind kind = Kind::batch;
  std::uint32_t index = 0;
};

/// The batch, paddings that are not 0, then feature dimensions in order of evaluation. Dimensions
/// that follow from others, of a concat or of a flat row that a reshape makes of a matrix, are not
/// among them, nor any features of networks with derivative ops.
std::vector<Dimension> dimensions(const Case& c);

/// How a case is brought to another size.
struct Growth {
  enum class Values : std::uint8_t {
    varied,  ///< what is new repeats what there was, low mantissa bits drawn anew
    normal,  ///< what is new is normal
    all_normal
  };
  Values values = Values::varied;
  /// New indices come before the rear half of the old ones, so that what was last stays last; cut
  /// ones are those of the middle. Else both are those at the end.
  bool in_the_middle = true;
  std::uint64_t seed = 0;
};

/// The same case with `dimension` at another size, 0 too. Of the split, what is all, the first, the
/// last or the remaining rows stays that; a slice that would lose all its rows gets the last one.
/// Nothing where the network has no such size.
std::optional<Case> resized(const Case& c, const Dimension& dimension, std::uint32_t size,
                            const Growth& growth = {});

/// Normal deviates times `scale`.
void draw_normal(std::span<float> out, float scale, std::uint64_t seed);

}  // namespace ulpfuzz::generators
