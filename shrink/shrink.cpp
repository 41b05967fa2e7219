#include "ulpfuzz/shrink/shrink.hpp"

#include <chrono>
#include <exception>
#include <unordered_set>
#include <vector>


namespace ulpfuzz {
namespace {

class Shrinker {
  using Clock = std::chrono::steady_clock;

 public:
  Shrinker(const Judge& judge, const ShrinkOptions& options) : judge_(judge), options_(options) {}

  ShrinkResult run(const Case& c) {
    result_.value = c;
    result_.before = result_.verdict = evaluate(c);
    if (result_.before.failed()) {
      best_complexity_ = generators::complexity(c);
      seen_.insert(content_hash(c));
      descend();
    } else {
      result_.stop = options_.cancelled && options_.cancelled() ? ShrinkStop::cancelled
                                                                : ShrinkStop::not_failing;
    }
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  Verdict evaluate(const Case& c) {
    ++result_.evaluations;
    return judge_(c);
  }

  bool broken() const { return options_.broken && options_.broken(); }

  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  bool spent() {
    if (broken()) {
      result_.stop = ShrinkStop::broken;
    } else if (options_.cancelled && options_.cancelled()) {
      result_.stop = ShrinkStop::cancelled;
    } else if (result_.evaluations >= options_.evaluations) {
      result_.stop = ShrinkStop::evaluations;
    } else if (seconds() >= options_.seconds) {
      result_.stop = ShrinkStop::time;
    } else {
      return false;
    }
    return true;
  }

  generators::Focus focus() const {
    generators::Focus f = focus_of(result_.verdict);
    f.activations = options_.activations;
    return f;
  }

  /// Goes through the edits in a circle: after an acceptance the list is made anew and the walk
  /// goes on from the same place, so that a pass over n elements costs n evaluations, not n^2.
  void descend() {
    std::size_t place = 0;
    std::size_t fruitless = 0;
    auto edits = generators::simpler(result_.value, focus());
    while (fruitless < edits.size()) {
      if (spent()) return;
      if (place >= edits.size()) place = 0;
      if (!accept(edits[place])) {
        ++place;
        ++fruitless;
        continue;
      }
      fruitless = 0;
      edits = generators::simpler(result_.value, focus());
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

  const Judge& judge_;
  const ShrinkOptions& options_;
  Clock::time_point start_ = Clock::now();
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
    case ShrinkStop::stalled:
      return "nothing simpler found for long";
    case ShrinkStop::cancelled:
      return "cancelled";
    case ShrinkStop::broken:
      return "the subject cannot be used any more in this process";
    case ShrinkStop::not_failing:
      break;
  }
  return "the case does not fail";
}

ShrinkResult shrink(const Case& c, const Judge& judge, const ShrinkOptions& options) {
  return Shrinker(judge, options).run(c);
}

}  // namespace ulpfuzz
