#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "search.hpp"

namespace ulpfuzz::diagnosis {

/// Pairs that no score rules out: one class with every two patterns, and each two classes in all
/// layers.
std::vector<PairCandidate> screen_pairs(Scene& scene, std::span<const Prediction> predictions,
                                        std::span<const double> observed, const Baseline& baseline);

/// All pairs of one class, or of one and fp32.
std::vector<PairCandidate> every_pair(std::span<const Prediction> predictions);

/// Predictions, each made once.
class Memory {
 public:
  explicit Memory(Scene& scene) : scene_(scene) {}
  const std::vector<float>& at(const Candidate& c, std::size_t order, Rows which);
  /// Makes those of many patterns at once.
  void learn(std::span<const Candidate> candidates, std::size_t order, Rows which);

 private:
  using Key = std::tuple<std::size_t, Pattern, std::size_t, Rows>;
  Scene& scene_;
  std::map<Key, std::vector<float>> known_;
};

/// As for one side: those that predict every difference in some orders, else those that fit best.
std::vector<PairCandidate> confirm_pairs(Memory& memory, const Scene& scene,
                                         std::span<const PairCandidate> candidates,
                                         std::span<const double> observed,
                                         std::span<const std::size_t> orders_a,
                                         std::span<const std::size_t> orders_b);
std::vector<PairCandidate> settle_pairs(Memory& memory, const Scene& scene,
                                        std::span<const PairCandidate> candidates,
                                        std::span<const double> observed, const Baseline& baseline);

}  // namespace ulpfuzz::diagnosis
