#include "distillery.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ulpfuzz::nightly {
namespace {

std::vector<DistilledCase> distilled(std::vector<DistilledCase> cases) {
  std::vector<search::Candidate> all;
  for (DistilledCase& c : cases) all.push_back(std::move(c.shown));
  std::vector<DistilledCase> few;
  for (const std::size_t i : search::distil(all)) {
    few.push_back(std::move(cases[i]));
    few.back().shown = std::move(all[i]);
  }
  return few;
}

}  // namespace

void Distillery::add(const std::string& pair, DistilledCase c) {
  OfPair& of_pair = pairs_[pair];
  of_pair.cases.push_back(std::move(c));
  if (of_pair.cases.size() < std::max(most_, of_pair.most)) return;
  of_pair.cases = distilled(std::move(of_pair.cases));
  of_pair.most = 2 * of_pair.cases.size();  // so that few are distilled over and over
}

std::vector<DistilledCase> Distillery::chosen() {
  std::vector<DistilledCase> all;
  for (auto& [pair, of_pair] : pairs_) {
    auto few = distilled(std::move(of_pair.cases));
    std::move(few.begin(), few.end(), std::back_inserter(all));
  }
  pairs_.clear();
  return all;
}

}  // namespace ulpfuzz::nightly
