#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz::shrinking {

/// What the judge says of cases, each asked once and as long as the budget lasts. What the memory
/// of an earlier run knows costs as much of the budget as if it were judged, so that a resumed run
/// decides as one that was never interrupted.
class Answers {
 public:
  Answers(const Judge& judge, const ShrinkOptions& options);

  /// Nothing where it was not asked in this run.
  const Verdict* known(const std::string& key) const;
  /// `key` is the content hash of `c`, with "#2" for what the second evaluation says. Nothing where
  /// the budget is spent: stop() says why.
  const Verdict* ask(const Case& c, const std::string& key);

  /// Is there a reason to stop? It stays.
  bool spent();
  std::optional<ShrinkStop> stop() const { return stop_; }
  /// Lets at most so many more evaluations happen, and forgets that the last such limit was met.
  void limit(std::uint64_t evaluations);

  std::uint64_t evaluations() const { return evaluations_; }
  std::uint64_t recalled() const { return recalled_; }
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<ShrinkStop> reason() const;
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }

  const Judge& judge_;
  const ShrinkOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::unordered_map<std::string, Verdict> known_;
  std::uint64_t most_;
  std::uint64_t evaluations_ = 0;
  std::uint64_t recalled_ = 0;
  std::optional<ShrinkStop> stop_;
};

/// Does `c` fail often enough, given that its first evaluation did? Nothing where the budget is
/// spent.
template <class Fails>
std::optional<bool> confirmed(Answers& answers, const Case& c, const std::string& key,
                              const Confirmation& wanted, Fails fails) {
  unsigned hits = 1;
  for (unsigned tried = 1; hits < wanted.wanted; ++tried) {
    if (tried >= wanted.tried || wanted.tried - tried < wanted.wanted - hits) return false;
    const Verdict* again = answers.ask(c, key + "#" + std::to_string(tried + 1));
    if (again == nullptr) return std::nullopt;
    if (fails(*again)) ++hits;
  }
  return true;
}

}  // namespace ulpfuzz::shrinking
