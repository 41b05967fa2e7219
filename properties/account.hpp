#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "judge.hpp"
#include "quick.hpp"
#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::properties {

/// Whose values are compared. `paths`: path a with path b; the others with the reference.
enum class Pair : std::uint8_t { paths, a_reference, b_reference };

/// Which results. The forward property has only `output`.
enum class Kind : std::uint8_t { output, loop_reverse, loop_forward, summed };

/// An element: batch row, output column; for gradients the block `wrt` (inputs, then parameters)
/// and the element in it. `slice` and `position` say where path b has it.
struct Place {
  Kind kind = Kind::output;
  Pair pair = Pair::paths;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t wrt = 0;
  std::uint32_t element = 0;
  std::uint32_t slice = 0;
  std::uint32_t position = 0;
};

struct Finding {
  Place place;
  Judged judged;
  float a = 0;
  float b = 0;
  double reference = 0;
  bool counts = false;  ///< the element is counted by this comparison
};

/// Collects what judging finds.
class Account {
 public:
  void count(Tier tier, std::uint64_t elements) {
    elements_[static_cast<std::size_t>(tier)] += elements;
  }
  /// Counts a run of elements that passed without a share above the largest so far.
  void add(const QuickResult& run) {
    count(Tier::bit_equal, run.equal);
    count(Tier::exact, run.exact);
    count(Tier::sound, run.sound);
    count(Tier::probabilistic, run.probable);
    count(Tier::none, run.none);
  }
  QuickLimits limits(double lambda, bounds::Comparison comparison, bool refines) const {
    return {lambda, share_sound_, share_tightest_, comparison, refines};
  }
  /// Counts the element and keeps it if it is the worst of its kind.
  void add(const Place& place, float a, float b, double reference, const Judged& judged);
  /// A comparison besides the one that counts the element.
  void add_check(const Place& place, float a, float b, double reference, const Judged& judged) {
    look(place, a, b, reference, judged, false);
  }

  /// A mask was read that contradicts a kink which the bounds decide: fails by itself.
  void contradiction(bool found) { contradicted_ = contradicted_ || found; }

  bool failed() const { return failure_.has_value() || contradicted_; }
  bool contradicted_only() const { return contradicted_ && !failure_; }
  const Finding& failure() const { return *failure_; }
  const Finding& worst() const { return worst_; }
  const std::vector<Finding>& alarms() const { return alarms_; }

  /// Would the probabilistic bound raise the share?
  bool tightest_matters() const { return share_tightest_ > share_sound_; }

  /// Alarm i fails if survived[i]; else it is sound, or vacuous where the sound bound says nothing.
  void settle_alarms(const std::vector<bool>& survived);

  /// Counts, share and outcome. `model_fits`: the probabilistic bound applies to the case.
  void report(bool model_fits, Verdict& verdict) const;

 private:
  void look(const Place& place, float a, float b, double reference, const Judged& judged,
            bool counts);
  void keep(const Finding& finding);

  std::array<std::uint64_t, tier_count> elements_{};
  double share_sound_ = 0;
  double share_tightest_ = 0;
  Finding worst_;
  std::optional<Finding> failure_;
  std::vector<Finding> alarms_;
  bool alarm_dismissed_ = false;
  bool contradicted_ = false;
};

/// Do parameters and inputs carry random low bits? Tensors of zeros do not count. `prefix`: how
/// many values of each tensor to look at (0: all).
bool model_fits(const Case& c, std::size_t prefix = 0);

}  // namespace ulpfuzz::properties
