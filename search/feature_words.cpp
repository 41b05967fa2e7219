#include <fmt/format.h>

#include "feature_groups.hpp"

namespace ulpfuzz::search {
namespace {

bool in(const Group& group, std::uint32_t feature) {
  return feature >= group.first && feature < group.end();
}

constexpr std::array<std::string_view, tier_kinds> tier_names{"no bound of errors", "sound bound",
                                                              "probabilistic bound"};

std::string power(double exponent) { return fmt::format("2^{:g}", exponent); }

std::string alignment_words(std::uint32_t kind) {
  if (kind == 0) return "1";
  if (kind == 1) return "odd";
  return fmt::format("{}x", 1U << (kind - 1));
}

std::string octave_words(std::uint32_t octave) {
  return octave == 0 ? "below 2^-12" : "from " + power(static_cast<double>(octave) - 13);
}

std::string size_words(std::uint32_t kind) {
  static constexpr std::array<std::string_view, 4> batch{"1", "2..8", "9..32", "33.."};
  static constexpr std::array<std::string_view, 4> width{"1..4", "5..16", "17..64", "65.."};
  static constexpr std::array<std::string_view, 4> deep{"0..1", "2", "3..4", "5.."};
  return fmt::format("batch {}, width {}, depth {}", batch[kind / 16], width[kind / 4 % 4],
                     deep[kind % 4]);
}

}  // namespace

std::string describe_feature(std::uint32_t f) {
  if (in(shares, f))
    return fmt::format("share of {} from {}, {}", f / levels < tier_kinds ? "outputs" : "gradients",
                       power((f % levels) / 4.0 - 12), tier_names[f / levels % tier_kinds]);
  if (in(op_shares, f)) {
    const std::uint32_t i = f - op_shares.first;
    return fmt::format("first op {}, share from {}{}", op_number_name(i / op_levels / 2),
                       power((i % op_levels) / 2.0 - 12),
                       i / op_levels % 2 == 0 ? "" : ", probabilistic bound");
  }
  if (in(op_octaves, f)) {
    const std::uint32_t i = f - op_octaves.first;
    return fmt::format("first op {}, octave of share {}", op_number_name(i / octaves),
                       octave_words(i % octaves));
  }
  if (in(values, f)) {
    const std::uint32_t i = f - values.first;
    return fmt::format("{} in {}", value_names[i % value_kinds],
                       i < value_kinds ? "parameters" : "inputs");
  }
  if (in(splits, f)) return fmt::format("split {}", split_names[f - splits.first]);
  if (in(alignments, f)) {
    const std::uint32_t i = f - alignments.first;
    return fmt::format("largest product m {}, n {}, k {}", alignment_words(i / 36),
                       alignment_words(i / 6 % 6), alignment_words(i % 6));
  }
  if (in(sizes, f)) return size_words(f - sizes.first);
  return fmt::format("no feature ({})", f);
}

}  // namespace ulpfuzz::search
