#include <algorithm>
#include <array>
#include <iterator>

#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

// A split of one slice of one row looks at the failing row, wherever the edit leaves both in place:
// no less simple, and no matter of luck any more.
void aim(const Case& c, std::int64_t row, Edits& list) {
  const bool one = c.split.size() == 1 && c.split[0].rows.size() == 1;
  if (!one || row < 0 || static_cast<std::size_t>(row) >= c.batch()) return;
  if (c.split[0].rows[0] == row) return;
  for (Edit& edit : list) {
    edit.apply = [&c, row, apply = std::move(edit.apply)] {
      Case result = apply();
      if (result.split == c.split && result.batch() == c.batch())
        result.split[0].rows[0] = static_cast<std::uint32_t>(row);
      return result;
    };
  }
}

template <void (*family)(const Case&, const Focus&, Edits&)>
Edits edits(const Case& c, const Focus& focus) {
  Edits list;
  if (c.network.outputs().empty()) return list;
  family(c, focus, list);
  aim(c, focus.row, list);
  return list;
}

constexpr std::array all{
    Pass{"policy", "no cotangents, aligned buffers, no padding, rows in order",
         edits<simple_policy>},
    Pass{"truncate suffix", "an inner op becomes the output", edits<truncated_suffix>},
    Pass{"freeze prefix", "an op becomes an input that holds its recorded values",
         edits<frozen_prefix>},
    Pass{"single op",
         "one op on the values of the output, or on one feature, takes the place of all",
         edits<single_ops>},
    Pass{"delete ops", "an operand takes the place of an op or of a run of ops; biases go",
         edits<deleted_ops>},
    Pass{"rows", "batch rows dropped", edits<fewer_rows>},
    Pass{"splits", "slices dropped, merged, shortened", edits<simpler_splits>},
    Pass{"output columns", "outputs dropped, the failing one last", edits<fewer_outputs>},
    Pass{"widths", "features dropped, also down to aligned sizes; inner dimensions last",
         edits<smaller_widths>},
    Pass{"trade", "fewer features for more batch rows", edits<traded_features>},
    Pass{"activations", "ops become relu or another simpler op", edits<simpler_ops>},
    Pass{"whole tensors", "all numbers of a tensor become 0, 1, +-1 or one of them",
         edits<whole_tensors>},
    Pass{"zeroing", "rows, columns and single numbers become 0", edits<zeroed_parts>},
    Pass{"rounding", "numbers lose bits of their significands, exponents and signs",
         edits<rounded_numbers>},
    Pass{"pairs", "two numbers or two tensors change together: equal, in order, added, scaled",
         edits<paired_numbers>},
    Pass{"layout", "buffers move to simpler addresses", edits<simpler_layout>},
};

}  // namespace

std::span<const Pass> passes() { return all; }

std::vector<Edit> simpler(const Case& c, const Focus& focus) {
  Edits list;
  for (const Pass& pass : all) std::ranges::move(pass.edits(c, focus), std::back_inserter(list));
  return list;
}

}  // namespace ulpfuzz::generators
