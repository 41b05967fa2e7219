#include "ulpfuzz/generators/mutate.hpp"

#include <array>
#include <numeric>
#include <stdexcept>

#include "mutate_families.hpp"

namespace ulpfuzz::generators {
namespace {

// Weights: about as the families raise shares of honest subjects (openblas, from a pool of 50),
// those that reach what no other does above that.
constexpr std::array all{
    Mutation{"move by ulps", "numbers move a few floats along the number line", 10, moved_by_ulps},
    Mutation{"low bits", "low mantissa bits are drawn anew", 10, redrawn_low_bits},
    Mutation{"specials", "numbers become zeros, ones, extremes, infinities or NaN", 4, specials},
    Mutation{"round", "numbers lose mantissa bits, down to powers of two", 6, rounded},
    Mutation{"signs", "numbers change or lose their sign", 4, flipped_signs},
    Mutation{"scale", "numbers are multiplied by a power of two", 8, scaled},
    Mutation{"copy numbers", "numbers and rows are copied or change places", 6, copied_numbers},
    Mutation{"cancel", "two terms of a sum become opposite, or nearly so", 6, cancelling_terms},
    Mutation{"move scale", "a power of two goes from one parameter to a later one", 4, moved_scale},
    Mutation{"rows", "batch rows become equal, opposite, multiples, or change places", 4,
             changed_rows},
    Mutation{"split", "rows move between slices, which merge, part, come, go or are padded", 6,
             changed_split},
    Mutation{"layout", "buffers move to other addresses", 2, changed_layout},
    Mutation{"resize", "batch, padding or features have another size", 8, resized_dimension},
    Mutation{"insert ops", "new ops stand after an op", 4, inserted_ops},
    Mutation{"delete op", "an operand takes the place of an op", 7, deleted_op},
    Mutation{"replace op", "an op becomes another of the same shape", 5, replaced_op},
    Mutation{"repeat ops", "a run of ops is done once more", 2, repeated_ops},
    Mutation{"draw tensor", "a tensor is drawn anew", 8, redrawn_tensor},
    Mutation{"draw split", "the split is drawn anew", 4, redrawn_split},
    Mutation{"draw topology", "the network is drawn anew; tensors that fit stay", 4,
             redrawn_topology},
    Mutation{"simplify", "a coarse step of the shrinker", 4, simplified},
};

constexpr unsigned total = std::accumulate(
    all.begin(), all.end(), 0u, [](unsigned sum, const Mutation& m) { return sum + m.weight; });

const Mutation& any_mutation(Source& source) {
  std::uint64_t at = source.below(total);
  for (const Mutation& m : all) {
    if (at < m.weight) return m;
    at -= m.weight;
  }
  return all.front();
}

// The family's result if it is a case within the limits and not the one it was given.
bool try_once(Case& c, Source& source, const Limits& limits) {
  try {
    Case next = any_mutation(source).apply(c, source, limits);
    complete(next, limits, source);
    if (!within(next, limits) || identical(next, c)) return false;
    validate(next);
    c = std::move(next);
    return true;
  } catch (const std::invalid_argument&) {
    return false;  // what the network refuses
  }
}

// One change most often, rarely more than three.
int some_changes(Source& source) {
  int count = 1;
  while (count < 5 && source.chance(35)) ++count;
  return count;
}

}  // namespace

std::span<const Mutation> mutations() { return all; }

Case mutated(const Case& c, Source& source, const Limits& limits) {
  Case result = within(c, limits) && has_its_cotangents(c, limits) ? c : fitted(c, source, limits);
  int left = some_changes(source);
  for (int tries = 0; tries < 16 && left > 0; ++tries)
    if (try_once(result, source, limits)) --left;
  return result;
}

}  // namespace ulpfuzz::generators
