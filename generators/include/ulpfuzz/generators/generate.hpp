#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/generators/source.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// What random cases may look like.
struct Limits {
  /// `everything`: all ops, sizes and value classes, heavy-tailed. `plain`: the fixed distribution
  /// of bench/throughput: depth 1..4, widths 1..32, relu/tanh/sigmoid, batch 1..64, at most 6 cuts,
  /// normal data, PyTorch initialisation.
  enum class Kind : std::uint8_t { everything, plain };
  Kind kind = Kind::everything;
  std::uint32_t depth = 6;
  std::uint32_t width = 129;
  std::uint32_t batch = 129;
  /// Upper limit of multiply-adds of one forward evaluation of the whole batch.
  std::uint64_t work = 2'000'000;
  /// Upper limit of Jacobian elements (batch * outputs * (inputs + parameters)); 0: no gradient
  /// will be asked, no limit.
  std::uint64_t jacobian = 0;
};
/// `everything` with sizes at which a gradient trial costs about as much as a forward trial.
Limits gradient_limits();
/// `plain` as bench/throughput draws it; batches of at most 8 where a gradient is asked.
Limits plain_limits(bool gradient);

/// A random case. Always valid, whatever the source.
Case draw_case(Source& source, const Limits& limits = {});
Case case_from_seed(std::uint64_t seed, std::uint64_t index, const Limits& limits = {});
/// Total: every byte string is a case. Bytes that are a binary case file give that case.
Case case_from_fuzzer(std::span<const std::uint8_t> bytes, const Limits& limits = {});

/// The same case with the low mantissa bits of inputs and parameters drawn anew (relative change at
/// most 2^-10; zeros, infinities and NaN stay): tells chance from structure.
Case with_random_low_bits(const Case& c, std::uint64_t seed);

/// One step towards a simpler case.
struct Edit {
  std::string name;             ///< "drop rows 4..7", "relu 3 -> identity", "round parameter 1"
  std::function<Case()> apply;  ///< a valid case, smaller in the order of complexity()
};

/// Gives the values of a node of a case: [batch, shape.size()]; nothing where it cannot.
using Activations = std::function<std::vector<float>(const Case&, NodeId)>;

/// What is known of a failure: lets edits aim. All optional.
struct Focus {
  std::int64_t row = -1;     ///< batch row; -1: not known
  std::int64_t output = -1;  ///< output column; -1: not known
  /// What an input that takes the place of a prefix is given; normal values without.
  Activations activations;
};

/// A family of edits. Within one, large parts come first and single ones last, so that a greedy
/// loop needs few evaluations if it goes on at the same place in the next list after each success.
struct Pass {
  std::string_view name;  ///< "truncate suffix"
  std::string_view what;  ///< in a sentence
  /// Edits refer to the case, which must outlive them.
  std::vector<Edit> (*edits)(const Case&, const Focus&);
};

/// Coarse to fine, in the order in which they are worth trying.
std::span<const Pass> passes();

/// All edits of all passes.
std::vector<Edit> simpler(const Case& c, const Focus& focus = {});

/// What "simpler" means: lexicographic, smaller is simpler, all components natural numbers: nodes;
/// sizes of parameters, inputs and outputs; rows of the larger side (the batch, or all slices with
/// padding); slices, rows in them with padding, breaks of their order; batch rows; the smallest
/// slice; padding and offsets; rank of ops; elements other than 0 and 1; total of significant
/// mantissa bits and of |exponents|; bits set in them; negative signs. The rest gives failures of
/// several forms one of them: neighbours in a tensor that differ, and that descend; elements other
/// than 0 and 1 in parameters.
std::vector<std::uint64_t> complexity(const Case& c);
/// What each number of complexity() counts: "nodes", "batch rows".
std::span<const std::string_view> complexity_names();

}  // namespace ulpfuzz::generators
