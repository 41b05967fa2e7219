#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "explain_evidence.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::tool {

/// How many of the differences that were given a - b shows, to their last printed digit: up to half
/// a unit of it, or in every bit of an fp32 difference. A 0 shows no digits: it counts up to those
/// that the others show, and without others by its bits.
struct Reproduction {
  std::size_t given = 0, reproduced = 0;
  int digits = 0;  ///< significant digits that the given numbers show; 0: none shows any
  std::size_t not_numbers = 0;  ///< given NaNs: never reproduced
  double largest = 0;           ///< |a - b - given|, where a number was given
};
Reproduction reproduction(std::span<const float> a, std::span<const float> b,
                          std::span<const double> given);

/// What is said of a subject that was evaluated.
struct Evaluated {
  std::string text;             ///< for people, before the explanation
  nlohmann::ordered_json json;  ///< docs/explain.md; null: there was none
};

/// Puts what a subject gives for the rows in question, as parts of two batches, the first rows of
/// all inputs, in place of the results in `files`. Evaluates in a forked child, which has `timeout`
/// seconds and may take `memory` mebibytes (0: no limit). Throws SubjectFault for a crash, a hang,
/// too much memory, and whatever Caller finds.
Evaluated evaluate_subject(const Subject& subject, const Question& question, Files& files,
                           double timeout, std::uint64_t memory);

}  // namespace ulpfuzz::tool
