#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cause.hpp"
#include "first_op.hpp"
#include "gradient.hpp"
#include "gradient_scene.hpp"

namespace ulpfuzz::properties {
namespace {

/// Which evaluation a failing element came from.
enum class Path : std::uint8_t { loop, reverse, forward, whole, micro };

Path path_of(const Place& place, bool b) {
  switch (place.kind) {
    case Kind::summed:
      return b ? Path::micro : Path::whole;
    case Kind::loop_forward:
      return b ? Path::forward : Path::loop;
    default:
      return b ? Path::reverse : Path::loop;
  }
}

/// The one that is further from the reference.
Path culprit_of(const Finding& f) {
  if (f.place.pair != Pair::paths) return path_of(f.place, f.place.pair == Pair::b_reference);
  const double a = std::fabs(double{f.a} - f.reference);
  const double b = std::fabs(double{f.b} - f.reference);
  return path_of(f.place, b > a || std::isnan(b));
}

/// The entry in question as its path computed it, and how to compute it again.
class Question {
 public:
  Question(const GradientTrial& t, const GradientPaths& paths, const Finding& failure)
      : t_(t), c_(t.trial.c), paths_(paths), place_(failure.place), path_(culprit_of(failure)) {
    all_rows_.resize(c_.batch());
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
    if (path_ == Path::whole) sum_ = &paths.whole;
    if (path_ == Path::micro) {
      sum_ = &worst_micro_batch(t.trial.context.analysis, t, paths, place_);
    }
  }

  Cause cause() { return name_cause(t_.trial.context.analysis, scene()); }

  std::string first_op() {
    const Network& network = this->network();
    const bool one = path_ == Path::loop;
    const std::size_t batch = sum_ != nullptr ? sum_->rows.size() : one ? 1 : c_.batch();
    const Evaluated evaluation{
        network, c_.parameters, batch, evaluation_inputs(),
        one || sum_ != nullptr ? c_.layout.slice_offset : c_.layout.batch_offset};
    return first_op_off_reference(t_.trial.context, t_.trial.subject, evaluation,
                                  one ? 0 : place_.row, row_inputs(place_.row), sum_ != nullptr);
  }

 private:
  Scene scene() const {
    if (sum_ != nullptr) return summed_scene(t_, *sum_);
    if (path_ == Path::forward) return forward_scene(t_, *paths_.forward, place_);
    return reverse_scene(t_, path_ == Path::loop ? paths_.loop : paths_.reverse, place_);
  }

  /// Of the whole evaluation.
  const Network& network() const {
    switch (path_) {
      case Path::loop:
        return t_.derived.loop;
      case Path::reverse:
        return t_.derived.reverse;
      case Path::forward:
        return t_.derived.forward[place_.wrt];
      default:
        return t_.derived.summed;
    }
  }

  std::span<const float* const> evaluation_inputs() {
    switch (path_) {
      case Path::loop:
        return evaluation_.entries(c_, std::span<const Gather::Entry>(&entry_, 1));
      case Path::reverse:
        return evaluation_.unit_cotangents(c_, all_rows_);
      case Path::forward:
        return evaluation_.whole(c_);
      default:
        return evaluation_.with_cotangents(c_, sum_->rows);
    }
  }

  std::span<const float* const> row_inputs(std::uint32_t row) {
    row_ = row;
    switch (path_) {
      case Path::loop:
        return analysis_.entries(c_, std::span<const Gather::Entry>(&entry_, 1));
      case Path::reverse:
        return analysis_.unit_cotangents(c_, {&row_, 1});
      case Path::forward:
        return analysis_.rows(c_, {&row_, 1});
      default:
        return analysis_.with_cotangents(c_, sum_->rows);
    }
  }

  const GradientTrial& t_;
  const Case& c_;
  const GradientPaths& paths_;
  const Place& place_;
  Path path_;
  const BatchSum* sum_ = nullptr;  ///< of the batch or a micro-batch; null: no sum
  Gather::Entry entry_{place_.row, place_.column};
  std::uint32_t row_ = 0;
  std::vector<std::uint32_t> all_rows_;
  Gather evaluation_, analysis_;
};

std::string path_words(const Case& c, const GradientPaths& paths, Path path) {
  switch (path) {
    case Path::loop:
      return "the loop";
    case Path::reverse:
      return fmt::format("vectorized reverse (batch of {})", c.batch());
    case Path::forward:
      return fmt::format("vectorized forward (batch of {})", c.batch());
    case Path::whole:
      return fmt::format("the batch of {}", paths.whole.rows.size());
    default:
      return fmt::format("the sum of {} micro-batches", paths.micro_batches.size());
  }
}

std::string element_words(const Case& c, const Place& p) {
  if (p.wrt < c.inputs.size()) return fmt::format("input {}[{}]", p.wrt, p.element);
  const std::size_t index = parameter_of(c, p);
  const std::uint32_t cols = std::max(c.parameters[index].cols, 1u);
  return fmt::format("parameter {}[{}][{}]", index, p.element / cols, p.element % cols);
}

void call_nondeterministic(Verdict& verdict) {
  verdict.failure = FailureClass::nondeterministic;
  verdict.cause = class_cause(verdict.failure);
  verdict.reason += "; the same call gives something else when repeated";
}

}  // namespace

ElementEvidence gradient_evidence(const GradientTrial& t, const GradientPaths& paths,
                                  const Finding& finding) {
  const Case& c = t.trial.c;
  const Place& p = finding.place;
  ElementEvidence e = evidence(finding, t.trial.subject.arithmetic());
  e.where = p.kind == Kind::summed
                ? fmt::format("batch-summed gradient of {}", element_words(c, p))
                : fmt::format("d output[{}] / d {}, row {}", p.column, element_words(c, p), p.row);
  e.path_a = path_words(c, paths, path_of(p, p.pair == Pair::b_reference));
  e.path_b = p.pair == Pair::paths ? path_words(c, paths, path_of(p, true)) : "reference";
  return e;
}

void diagnose_gradient(const GradientTrial& t, const GradientPaths& paths, const Finding& failure,
                       Verdict& verdict) {
  verdict.worst = gradient_evidence(t, paths, failure);
  verdict.reason = reason_in_words(failure, {});
  if (differs_when_repeated(t, paths, failure)) return call_nondeterministic(verdict);
  Question question(t, paths, failure);
  const Cause cause = question.cause();
  verdict.cause = cause.named;
  verdict.first_op = question.first_op();
  verdict.reason = reason_in_words(failure, cause);
}

void diagnose_contradiction(const GradientTrial& t, const GradientPaths& paths, Verdict& verdict) {
  constexpr std::uint32_t most = 32;
  const auto rows = std::min(most, static_cast<std::uint32_t>(t.trial.c.batch()));
  Finding finding;
  finding.place = {.kind = Kind::loop_reverse};
  if (t.trial.subject.deterministic() && differs_when_repeated(t, paths, finding)) {
    return call_nondeterministic(verdict);
  }
  for (const Pair path : {Pair::b_reference, Pair::a_reference}) {
    for (std::uint32_t r = 0; r < rows && verdict.first_op.empty(); ++r) {
      finding.place = {.kind = Kind::loop_reverse, .pair = path, .row = r};
      verdict.first_op = Question(t, paths, finding).first_op();
    }
  }
  const bool by_itself = verdict.first_op.empty() || verdict.first_op.starts_with("derivative");
  if (!by_itself) verdict.cause = "unexplained";
}

}  // namespace ulpfuzz::properties
