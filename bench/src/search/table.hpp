#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "search/trial.hpp"

namespace ulpfuzz::bench {

/// One way on one property and subject, all seeds.
struct Row {
  Way way = Way::random;
  std::vector<Found> found;  ///< empty: not run
  std::string why_not;
};
struct Table {
  const Property* property = nullptr;
  const Subject* subject = nullptr;
  bool faulty = false;
  std::uint64_t evaluations = 0;
  std::vector<Row> rows;
};

/// Of a faulty subject: how many times as many evaluations random cases need to the first failure,
/// by medians; a search without failure counts as one that fails with its last evaluation, so that
/// the factor is at most too small. Of an honest one: octaves between the medians of the largest
/// share.
double gain(const Table& table, const Row& row);
/// Feedback beats random clearly: twice as soon; an octave.
bool is_clear(const Table& table, const Row& row);

void print(const Table& table);
nlohmann::json to_json(const Table& table);

}  // namespace ulpfuzz::bench
