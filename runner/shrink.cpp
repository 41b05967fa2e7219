#include "ulpfuzz/runner/shrink.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <unordered_set>
#include <vector>

#include "process.hpp"
#include "ulpfuzz/runner/judge.hpp"

namespace ulpfuzz {
namespace {

bool unexplained(std::string_view cause) {
  return cause.empty() || cause.find("unexplained") != std::string_view::npos;
}

class Shrinker {
 public:
  Shrinker(const Property& property, const Subject& subject, const ShrinkOptions& options)
      : property_(property), subject_(subject), options_(options) {}

  ShrinkResult run(const Case& c) {
    result_.value = c;
    if (!options_.isolate) context_ = std::make_unique<CheckContext>();
    result_.before = result_.verdict = evaluate(c);
    if (result_.before.failed()) {
      best_complexity_ = generators::complexity(c);
      seen_.insert(content_hash(c));
      descend();
    } else {
      result_.stop = options_.cancelled && options_.cancelled() ? ShrinkStop::cancelled
                                                                : ShrinkStop::not_failing;
    }
    result_.seconds = process::seconds_since(start_);
    return std::move(result_);
  }

 private:
  Verdict evaluate(const Case& c) {
    ++result_.evaluations;
    return options_.isolate ? judge_isolated(property_, c, subject_, options_.check,
                                             options_.case_timeout, options_.cancelled)
                            : judge(property_, c, subject_, options_.check, *context_);
  }

  bool broken() const { return !options_.isolate && subject_.broken(); }

  bool spent() {
    if (broken()) {
      result_.stop = ShrinkStop::broken;
    } else if (options_.cancelled && options_.cancelled()) {
      result_.stop = ShrinkStop::cancelled;
    } else if (result_.evaluations >= options_.evaluations) {
      result_.stop = ShrinkStop::evaluations;
    } else if (process::seconds_since(start_) >= options_.seconds) {
      result_.stop = ShrinkStop::time;
    } else {
      return false;
    }
    return true;
  }

  /// Goes through the edits in a circle: after an acceptance the list is made anew and the walk
  /// goes on from the same place, so that a pass over n elements costs n evaluations, not n^2.
  void descend() {
    std::size_t place = 0;
    std::size_t fruitless = 0;
    auto edits = generators::simpler(result_.value, focus_of(result_.verdict));
    while (fruitless < edits.size()) {
      if (spent()) return;
      if (place >= edits.size()) place = 0;
      if (!accept(edits[place])) {
        ++place;
        ++fruitless;
        continue;
      }
      fruitless = 0;
      edits = generators::simpler(result_.value, focus_of(result_.verdict));
    }
    result_.stop = ShrinkStop::fixed_point;
  }

  bool accept(const generators::Edit& edit) {
    Case candidate;
    try {
      candidate = edit.apply();
      if (!seen_.insert(content_hash(candidate)).second) return false;
      validate(candidate);
    } catch (const std::exception&) {
      return false;  // not a case: not a smaller repro either
    }
    auto complexity = generators::complexity(candidate);
    if (!(complexity < best_complexity_)) return false;
    Verdict verdict = evaluate(candidate);
    if (!same_failure(result_.before, verdict)) return false;
    result_.value = std::move(candidate);
    result_.verdict = std::move(verdict);
    best_complexity_ = std::move(complexity);
    ++result_.accepted;
    if (options_.accepted) options_.accepted(result_.value, result_.verdict, result_.evaluations);
    return true;
  }

  const Property& property_;
  const Subject& subject_;
  const ShrinkOptions& options_;
  std::unique_ptr<CheckContext> context_;
  process::Clock::time_point start_ = process::Clock::now();
  std::vector<std::uint64_t> best_complexity_;
  std::unordered_set<std::string> seen_;
  ShrinkResult result_;
};

}  // namespace

std::string_view name(ShrinkStop stop) {
  switch (stop) {
    case ShrinkStop::fixed_point:
      return "nothing simpler fails alike";
    case ShrinkStop::evaluations:
      return "budget of evaluations spent";
    case ShrinkStop::time:
      return "time spent";
    case ShrinkStop::cancelled:
      return "cancelled";
    case ShrinkStop::broken:
      return "the subject cannot be used any more in this process";
    case ShrinkStop::not_failing:
      break;
  }
  return "the case does not fail";
}

bool same_failure(const Verdict& original, const Verdict& candidate) {
  if (!candidate.failed() || candidate.failure != original.failure) return false;
  const bool told = !unexplained(original.cause) && !unexplained(candidate.cause);
  if (told && candidate.cause != original.cause) return false;
  if (original.failure == FailureClass::not_bitwise)
    return original.first_op.empty() || candidate.first_op == original.first_op;
  if (original.failure != FailureClass::beyond_bound) return true;
  return candidate.share >= std::clamp(original.share / 2, 1.0, 2.0);
}

ShrinkResult shrink(const Case& c, const Property& property, const Subject& subject,
                    const ShrinkOptions& options) {
  return Shrinker(property, subject, options).run(c);
}

}  // namespace ulpfuzz
