#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cause.hpp"
#include "judge.hpp"

namespace ulpfuzz::properties {

/// Holds predictions against the failing elements of a scene. A prediction that explains all of
/// them comes back as the number of distinct ones that it explains tellingly; nothing if it does
/// not.
class Inquiry {
 public:
  using Telling = std::optional<std::size_t>;
  using Entries = std::vector<Gather::Entry>;

  Inquiry(bounds::Analysis& analysis, const Scene& scene);

  const Scene& scene() const { return scene_; }
  std::size_t failing() const { return failing_.size(); }

  Telling scaled(double factor) const;
  /// Another network with the same inputs and outputs.
  Telling recomputed(const Network& network, std::span<const Tensor> parameters);
  /// The inputs of other entries.
  Telling reading(const Entries& others);
  /// A network that reads others' inputs and its own; each element where it belongs or, with
  /// `shift`, so much before.
  Telling reading(const Network& doubled, const Entries& others, std::uint32_t shift);
  /// Each element is what the one `by` further in its entry should be.
  Telling shifted(int by);

  /// All within the bounds of another arithmetic, the largest using a fair part of them.
  bool computed_with(const Arithmetic& arithmetic);
  /// Rounded operands show in several entries, most of them, and in many elements; a slip in few.
  bool looks_like_rounding() const { return rounding_; }

 private:
  using Sides = std::vector<Side>;
  struct Failing {
    Element element;
    Side expected;
  };

  void run(const Network& network, std::span<const Tensor> parameters,
           std::span<const float* const> inputs, std::size_t entries, const Arithmetic& arithmetic);
  /// What that run expects of the failing elements of the first `entries` entries.
  Sides expected(std::size_t entries) const;
  /// Of the element `by` further in the entry of element e; no bound outside of it.
  Side beside(const Element& e, int by) const;
  Telling judge(const Sides& predicted) const;
  /// First for the worst entry alone, which settles most.
  template <class Predict>
  Telling in_two_steps(const Predict& predict) const;
  std::size_t failing_in(std::size_t entries) const;

  bounds::Analysis& analysis_;
  const Scene& scene_;
  std::vector<Failing> failing_;
  bool rounding_ = false;
  Gather gather_, own_;
};

}  // namespace ulpfuzz::properties
