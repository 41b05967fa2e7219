#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gradient.hpp"

namespace ulpfuzz::properties {

/// Judges the Jacobians entry by entry (an entry is a batch row and an output). Entries are
/// analysed a few at a time on the loop network, so that the bounds of a group stay in the cache.
class GradientJudge {
 public:
  GradientJudge(const GradientTrial& t, const GradientPaths& paths);
  Account judge();

 private:
  using Entry = Gather::Entry;

  /// A loop-against-forward element that the loop's own bound does not cover.
  struct Pending {
    Place place;
    Side loop;
  };

  enum : std::uint8_t { reverse_differs = 1, forward_differs = 2, probe = 4 };

  // gradient_screen.cpp
  void screen();
  void screen(const Jacobian& other, std::uint8_t differs);
  void transpose_forward();
  std::uint8_t& flag(std::size_t row, std::size_t column) {
    return flags_[row * outputs_ + column];
  }

  // gradient_judge.cpp
  void judge_group(std::span<const Entry> group);
  void judge_reverse(std::size_t index, Entry entry, std::span<const Side> own);
  bool quickly(std::size_t index, const Place& first, const Jacobian& other, bool both_round,
               bool with_reference);
  void judge_element(const Place& place, const Side& sa, const Side& sb, bool reference_too);
  void run_loop(std::span<const Entry> group, std::span<const bounds::ObservedKinks> observed = {});
  Side loop_side(const Place& place, std::size_t index) const;
  std::vector<Side> all_sides(std::size_t entries) const;

  // gradient_masks.cpp
  struct Masks {
    std::vector<std::vector<float>> values;  ///< one a kink: [entries of the group, its size]
    std::vector<bounds::ObservedKinks> observed;
  };
  bool judge_by_masks(std::span<const Entry> group);
  bool observe_loop(std::span<const Entry> group, Masks& masks);
  bool observe_reverse(std::span<const Entry> group, Masks& masks);
  bool read_reverse_kinks();

  // gradient_forward.cpp
  void judge_forward(std::size_t index, Entry entry);
  bool all_finite(Entry entry) const;
  void judge_pending();

  // gradient_summed.cpp
  void judge_summed();

  const GradientTrial& t_;
  const Case& c_;
  const GradientPaths& paths_;
  Jacobian forward_;  ///< in the layout of the reverse schedules
  bounds::Analysis& analysis_;
  std::size_t outputs_;
  double lambda_ = 0;
  std::vector<std::uint8_t> flags_;
  std::vector<Pending> pending_;
  std::vector<NodeId> kinks_;
  std::vector<std::vector<float>> reverse_kinks_;  ///< per kink: [batch, its size]
  bool reverse_kinks_read_ = false;
  Gather gather_;
  Account account_;
};

}  // namespace ulpfuzz::properties
