#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gradient.hpp"

namespace ulpfuzz::properties {

/// Judges the Jacobians entry by entry (an entry is a batch row and an output). One analysis of the
/// reverse network bounds all entries of some batch rows; those with undecided kinks are analysed
/// again on the loop network, with the masks that each path took.
class GradientJudge {
 public:
  GradientJudge(const GradientTrial& t, const GradientPaths& paths);
  Account judge();

 private:
  using Entry = Gather::Entry;
  using Comparison = bounds::Comparison;

  /// A loop-against-forward element that the loop's own bound does not cover.
  struct Pending {
    Place place;
    Side loop;
  };

  enum : std::uint8_t { reverse_differs = 1, forward_differs = 2 };

  // gradient_screen.cpp
  void screen();
  void screen(const Jacobian& other, std::uint8_t differs);
  void transpose_forward();
  /// What differs anywhere in an entry.
  std::uint8_t& flag(std::size_t row, std::size_t column) {
    return flags_[row * outputs_ + column];
  }
  bool differs(const Place& p, std::uint8_t which) const {
    return (block_flags_[p.wrt * flags_.size() + p.row * outputs_ + p.column] & which) != 0;
  }

  // gradient_judge.cpp
  std::size_t rows_at_once() const;
  void judge_rows(std::span<const std::uint32_t> rows);
  void judge_undecided(std::span<const Entry> group);
  void judge_probe();
  void judge_reverse(std::size_t index, Entry entry, std::span<const Side> own);
  void judge_element(const Place& place, const Side& sa, const Side& sb);
  void run_loop(std::span<const Entry> group, std::span<const bounds::ObservedKinks> observed = {});
  std::vector<Side> all_sides(std::size_t entries) const;

  // gradient_blocks.cpp
  /// One block of one entry of the current analysis, whose entry it is being `index`.
  struct Block {
    std::size_t index;
    Place first;
    const Jacobian& other;
    Comparison comparison;
  };
  using Each = std::function<void(const Place&, const Side&)>;
  /// All at once; not counted yet.
  QuickResult judge_whole(const Block& block) const;
  /// What does not pass all at once: counts the parts that do, and hands on each element of others.
  void judge_parts(const Block& block, const Each& each);
  void judge_block(const Block& block, const Each& each);
  const float* loop_values(const Place& p) const;

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
  void judge_forward_element(const Place& place, const Side& loop);
  bool all_finite(Entry entry) const;
  void judge_pending();

  // gradient_summed.cpp
  void judge_summed();
  void judge_whole_sum(const SummedElement& e, std::vector<SummedElement>& differing);
  void judge_both_sums(const SummedElement& e, const Side& micro);

  const GradientTrial& t_;
  const Case& c_;
  const GradientPaths& paths_;
  Jacobian forward_;  ///< in the layout of the reverse schedules
  bounds::Analysis& analysis_;
  std::size_t outputs_;
  double lambda_ = 0;
  std::vector<std::uint8_t> flags_, block_flags_;
  std::vector<Pending> pending_;
  std::vector<Entry> undecided_;
  std::vector<NodeId> kinks_;
  std::vector<std::vector<float>> reverse_kinks_;  ///< per kink: [batch, its size]
  bool reverse_kinks_read_ = false;
  Gather gather_;
  Account account_;
};

}  // namespace ulpfuzz::properties
