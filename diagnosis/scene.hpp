#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine.hpp"
#include "tree.hpp"
#include "variants.hpp"

namespace ulpfuzz::diagnosis {

/// Rows of the evidence that are looked at: few ones to choose candidates by, one to refute them by
/// their bits, and all.
enum class Rows : std::uint8_t { few, one, all };

/// Evaluates a network under hypotheses, for outputs.
class Scene {
 public:
  Scene(const Evidence& evidence, const Baseline& baseline);

  std::size_t layers() const { return layers_; }
  std::size_t width() const { return width_; }
  /// Whether so many evaluations of one row are a matter of seconds.
  bool affords(std::size_t evaluations) const;
  std::span<const std::size_t> rows(Rows which) const { return rows_[index(which)]; }
  /// The elements of some rows, out of those of all rows.
  template <class T>
  std::vector<T> of(Rows which, std::span<const T> all) const {
    std::vector<T> part;
    for (const std::size_t row : rows(which))
      part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(row * width_),
                  all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width_));
    return part;
  }

  /// Whether the hypothesis can change anything here.
  bool applies(const Hypothesis& h) const;
  /// Visits the outputs of the rows under each pattern; of a hypothesis that is no matter of
  /// layers every pattern but 0 is the same.
  void predict(std::size_t variant, std::size_t order, std::span<const Pattern> patterns,
               Rows which, const Tree::Visit& visit);
  std::vector<float> predict(std::size_t variant, std::size_t order, Pattern pattern, Rows which);

 private:
  static std::size_t index(Rows which) { return static_cast<std::size_t>(which); }
  void choose_rows(const Evidence& evidence);
  Tree& tree(Rows which, bool swapped);

  const Evidence& evidence_;
  std::size_t layers_, width_;
  double row_cost_;  ///< multiplications of one row
  bool has_gelu_ = false, has_tanh_ = false, has_exp_ = false;
  std::vector<std::size_t> rows_[3];
  std::optional<Pieces> pieces_[2];
  std::unique_ptr<Tree> trees_[2][3];
};

}  // namespace ulpfuzz::diagnosis
