#pragma once

#include <chrono>
#include <cstdint>

#include "ulpfuzz/shrink/boundary.hpp"

namespace ulpfuzz::shrinking {

/// Asks a judge within a budget.
class Asker {
  using Clock = std::chrono::steady_clock;

 public:
  Asker(const Shrunk& failing, const Judge& judge, const BoundaryOptions& budget);

  const Shrunk& failing() const { return failing_; }
  bool spent() const;
  std::uint64_t remaining() const { return budget_.evaluations - asked_; }
  std::uint64_t asked() const { return asked_; }
  /// From now on at most so many more, and no more than there are in all.
  void allow(std::uint64_t evaluations);

  /// Asked again, as often as BoundaryOptions::confirmation says, for a failure that comes and
  /// goes; Outcome::skip where it neither comes often enough nor stays away.
  Verdict ask(const Case& c);

  /// Fails in the same way, with whatever share over the bound: of several formats that would
  /// explain the same error, a verdict names one.
  bool alike(const Verdict& verdict) const;
  /// Does not fail: of what is no failure of numbers, nothing to compare is no failure either.
  bool passes(const Verdict& verdict) const;
  /// Does its share tell how far beyond a bound it is?
  bool by_bound() const { return failing_.verdict.failure == FailureClass::beyond_bound; }
  bool by_gradient() const { return failing_.verdict.worst.where.starts_with("d "); }

  /// May one evaluation of this case be asked for: about 2^20 multiply-adds, or twice what the
  /// failing case costs.
  bool affordable(const Case& c) const;

 private:
  Verdict once(const Case& c);

  const Shrunk& failing_;
  const Judge& judge_;
  BoundaryOptions budget_;
  std::uint64_t limit_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t asked_ = 0;
  Verdict kept_;
  std::uint64_t most_work_;
};

}  // namespace ulpfuzz::shrinking
