#pragma once

#include <string>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

/// One line: the subject, the paths that part, and how.
std::string title(const Failure& failure);
/// "a batch of 9 rows"
std::string batch_words(const Case& c);
/// What ought to hold.
std::string claim_in_words(const Failure& failure);
/// How bad it is, in a sentence.
std::string severity(const Failure& failure);
/// What the bound allows, for which arithmetic, and by which argument.
std::string bound_in_words(const Failure& failure);
/// What is wrong inside, and how sure that is; empty where it is not about numbers.
std::string cause_in_words(const Failure& failure);
/// Is there a bound that the difference is larger than, rather than a class or bits that differ?
bool judged_by_size(const Failure& failure);
/// The first letter large, no full stop.
std::string sentence(std::string text);

}  // namespace ulpfuzz::repro
