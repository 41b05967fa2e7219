#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::probe {

using Bits = std::vector<std::uint32_t>;

/// A linear layer with bias, k -> width, whose rows all hold the same numbers: rows that come out
/// with other bits were computed in another way.
class EqualRows {
 public:
  static constexpr std::uint32_t width = 16;

  EqualRows(const Subject& subject, std::size_t k, std::uint64_t seed);
  std::optional<std::string> unsupported() const { return subject_.unsupported(network_); }
  /// Of each row, the bits of its results on a few vectors. Throws SubjectFault.
  std::vector<Bits> rows(std::size_t batch);

 private:
  struct Trial {
    std::vector<float> row;
    std::vector<Tensor> parameters;
  };
  const Subject& subject_;
  Network network_;
  std::array<Trial, 3> trials_;
  std::vector<float> input_;
  Caller caller_;
};

/// One way in which rows are computed, and where it was first seen.
struct Way {
  Bits bits;
  std::size_t batch = 0;
  std::size_t row = 0;
  std::string text;
  Breaches breaches;
  bool steady = true;  ///< false: calls disagree, and nothing else is told
};

/// Batch sizes with the same ways, in order of the rows.
struct Class {
  std::vector<std::size_t> sizes;
  std::vector<std::vector<std::size_t>> way_of_row;  ///< for each size
};

/// What equal rows show, batch by batch.
struct Survey {
  std::vector<Way> ways;
  std::vector<std::vector<std::size_t>> way_of_row;   ///< for each batch size from 1 on, no gaps
  std::map<std::vector<std::size_t>, Class> classes;  ///< by ways in order of appearance

  void add(std::size_t batch, const std::vector<Bits>& rows);
};

/// Which rows of the class's batches are computed in its way number `position`: "all rows", "the
/// last (batch mod 4) rows", or examples.
std::string rows_text(const Class& c, std::size_t position);

/// The smallest number of rows of which larger batches are made: each begins with the same tile,
/// and goes on as the batch that is one tile smaller. 0 if there is none.
std::size_t tile_of(const Survey& survey);

}  // namespace ulpfuzz::probe
