#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine.hpp"
#include "jacobian.hpp"

namespace ulpfuzz::diagnosis {

/// Values of one side, and which of them fp32 does not explain.
struct FailingSide {
  char name = 'a';
  std::span<const float> bits;       ///< empty where only the difference is known
  std::vector<double> values;        ///< of all elements
  std::vector<double> tolerance;     ///< how far fp32 may be from the reference
  std::vector<std::size_t> failing;  ///< beyond it, ascending
};

/// What a signature predicts of one element.
struct Predicted {
  double value = 0;
  double tolerance = 0;
};

/// Of one element, by its index; nothing: the signature says nothing of it, which explains nothing.
using Predict = std::function<std::optional<Predicted>(std::size_t)>;
/// The same by rows; null: nothing. Valid until the next call.
using PredictRow = std::function<const RowBounds*(std::size_t row)>;

/// Which elements a fault of this kind changes: those of the rows and blocks that fail, those of
/// the rows that fail, or all.
enum class Reach : std::uint8_t { blocks, rows, everything };

/// A signature that explains all failing elements of a side.
struct Explained {
  std::string name;
  std::string detail;  ///< "row mod 16", "parameter 2", "unit 3 of relu 0 in row 1"
  Reach reach = Reach::blocks;
  bool chosen_by_row = false;  ///< what each row holds was looked for
  Predict predict;
  std::vector<double> predicted;   ///< one a failing element
  std::size_t contradictions = 0;  ///< elements within reach that are right but should not be
};

/// Holds predictions against the failing elements of one side.
class Inquiry {
 public:
  Inquiry(const Evidence& evidence, const Baseline& baseline, const Layout& layout,
          const FailingSide& side)
      : evidence_(evidence), baseline_(baseline), layout_(layout), side_(side) {}

  /// Keeps the signature if its predictions explain every failing element and tell.
  bool test(const std::string& name, const std::string& detail, Reach reach,
            const Predict& predict);
  bool test_rows(const std::string& name, const std::string& detail, Reach reach,
                 const PredictRow& predict);

  const Evidence& evidence() const { return evidence_; }
  const Baseline& baseline() const { return baseline_; }
  const Layout& layout() const { return layout_; }
  const FailingSide& side() const { return side_; }
  /// Rows with failing elements, ascending.
  std::vector<std::size_t> failing_rows() const;
  Predicted expected(std::size_t index) const {
    return {baseline_.reference[index], side_.tolerance[index]};
  }
  /// Do the failing elements of row `row` fit these bounds of it?
  bool row_fits(std::size_t row, const RowBounds& bounds) const;

  /// What was kept, one of each name, without those that more elements contradict than others.
  std::vector<Explained> found();
  void add(Explained explained) { found_.push_back(std::move(explained)); }
  /// The last one kept: what each row holds was looked for.
  void was_chosen_by_row() { found_.back().chosen_by_row = true; }

 private:
  std::span<const std::size_t> failing_in(std::size_t row) const;
  std::size_t contradictions(const Explained& explained) const;

  const Evidence& evidence_;
  const Baseline& baseline_;
  const Layout& layout_;
  const FailingSide& side_;
  std::vector<Explained> found_;
};

/// How far an fp32 evaluation may be from the reference: the sound bound, or many typical
/// deviations where that is less.
double fp32_tolerance(double sound, double typical);

void try_factors(Inquiry& inquiry);
void try_unwritten(Inquiry& inquiry);
void try_other_rows(Inquiry& inquiry);
void try_neighbours(Inquiry& inquiry);
void try_altered(Inquiry& inquiry);
void try_masks(Inquiry& inquiry);

}  // namespace ulpfuzz::diagnosis
