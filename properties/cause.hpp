#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gather.hpp"
#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::properties {

/// One element of what a path gave.
struct Element {
  std::uint32_t entry = 0;
  std::uint32_t output = 0;
  std::uint32_t index = 0;  ///< in the bounds of that output
  float value = 0;
};

/// What the path that is off gave: entries (a batch row, in reverse mode with an output column),
/// the worst one first, with all their elements, failing or not, in the order of the entries.
struct Scene {
  const Network& network;
  std::span<const Tensor> parameters;
  Arithmetic arithmetic;
  std::size_t batch = 1;  ///< rows of the evaluation that the entries were part of
  std::vector<Gather::Entry> entries{};
  std::vector<Element> elements{};
  /// Inputs of `network` for some entries.
  std::function<std::span<const float* const>(Gather&, std::span<const Gather::Entry>)> inputs{};
  std::size_t summed_rows = 0;   ///< the one entry is a sum over so many rows; 0: it is not
  std::uint32_t case_rows = 0;   ///< of the batch: where leaks may come from; 0: nowhere
  std::uint32_t columns = 0;     ///< entries of other columns exist; 0: an entry is a row
  std::uint32_t shift = 0;       ///< distance in `index` of elements that may have been confused
  std::uint32_t entry_size = 0;  ///< of output 0, where `shift` applies
  bool tangents = false;         ///< `shift` is that of tangents: rows to the subject
};

/// About as many elements as a scene should have.
inline constexpr std::size_t most_elements = 2048;

/// `named` if the signature is strong, else "unexplained"; `suggested`: what explains all failing
/// elements too, but is too little to name.
struct Cause {
  std::string named = "unexplained";
  std::string suggested;
};

/// Works out what each explanation would give for every failing element of the scene. One is named
/// if it alone explains them all, at least three distinct ones tellingly: what it predicts is
/// finite, not zero (but for "zero") and far from the exact result. Else narrower operands or
/// flushed subnormals, where several entries and most have failing elements and all are within such
/// arithmetic's bound, the largest using a fair part of it.
Cause name_cause(bounds::Analysis& analysis, const Scene& scene);

/// The cause that a class names by itself: "unwritten output", "exception".
std::string class_cause(FailureClass failure);

}  // namespace ulpfuzz::properties
