#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/search/distil.hpp"

namespace ulpfuzz::nightly {

/// A case that may go to the distilled corpus.
struct DistilledCase {
  std::string file;  ///< where it is
  std::string name;  ///< in the distilled corpus
  bool old = false;  ///< it is there already
  search::Candidate shown;
};

/// search::distil() for more cases than fit into memory. Features of one property on one subject
/// mean nothing for another: pairs are distilled apart, each anew whenever `most` cases of it have
/// come together. Up to that many, the choice is that of distil(); of more, it has all features of
/// all that were added, too.
class Distillery {
 public:
  explicit Distillery(std::size_t most = 2048) : most_(most) {}
  void add(const std::string& pair, DistilledCase c);
  /// All pairs' few.
  std::vector<DistilledCase> chosen();

 private:
  struct OfPair {
    std::vector<DistilledCase> cases;
    std::size_t most = 0;
  };
  const std::size_t most_;
  std::map<std::string, OfPair> pairs_;
};

}  // namespace ulpfuzz::nightly
