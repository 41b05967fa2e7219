#include "answers.hpp"

#include <algorithm>
#include <utility>

namespace ulpfuzz::shrinking {

Answers::Answers(const Judge& judge, const ShrinkOptions& options)
    : judge_(judge), options_(options), most_(options.evaluations) {}

const Verdict* Answers::known(const std::string& key) const {
  const auto at = known_.find(key);
  return at == known_.end() ? nullptr : &at->second;
}

const Verdict* Answers::ask(const Case& c, const std::string& key) {
  if (const Verdict* verdict = known(key)) return verdict;
  if (spent()) return nullptr;
  std::optional<Verdict> verdict;
  if (options_.memory != nullptr) verdict = options_.memory->recall(key);
  if (verdict) {
    ++recalled_;
  } else {
    verdict = judge_(c);
    // What is judged while being told to stop may be no answer at all.
    if (cancelled()) {
      stop_ = ShrinkStop::cancelled;
      return nullptr;
    }
    if (options_.memory != nullptr) options_.memory->record(key, *verdict);
  }
  ++evaluations_;
  return &known_.emplace(key, std::move(*verdict)).first->second;
}

std::optional<ShrinkStop> Answers::reason() const {
  if (options_.broken && options_.broken()) return ShrinkStop::broken;
  if (cancelled()) return ShrinkStop::cancelled;
  if (evaluations_ >= most_) return ShrinkStop::evaluations;
  if (seconds() >= options_.seconds) return ShrinkStop::time;
  return std::nullopt;
}

bool Answers::spent() {
  if (!stop_) stop_ = reason();
  return stop_.has_value();
}

void Answers::limit(std::uint64_t evaluations) {
  const std::uint64_t left = options_.evaluations - std::min(options_.evaluations, evaluations_);
  most_ = evaluations_ + std::min(evaluations, left);
  if (stop_ == ShrinkStop::evaluations) stop_.reset();
}

double Answers::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace ulpfuzz::shrinking
