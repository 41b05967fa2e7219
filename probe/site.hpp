#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::probe {

/// One term of a sum: a product of two factors.
struct Term {
  float left = 0;
  float right = 0;
};
inline Term negative(Term t) { return {-t.left, t.right}; }

/// Kinds of sums that a subject computes. Of the last two, terms are single numbers.
enum class SumKind : std::uint8_t {
  linear,
  linear_bias,
  matmul,     ///< x B, x [1,k], B [k,n] shared
  matmul_tb,  ///< x B^T, B [n,k]
  matmul_ta,  ///< x^T B, x [k,1]
  matmul_tt,
  matmul_rows,  ///< both operands one a batch row
  outer_sum,    ///< the batch is what is summed over
  batch_sum,
  sum_rows
};

/// Which result of which call is looked at. `batch` is not used by outer_sum and batch_sum, whose
/// terms are the batch rows.
struct Place {
  SumKind kind = SumKind::linear;
  std::size_t k = 8;       ///< terms, not counting the bias
  std::size_t width = 16;  ///< columns of the result
  std::size_t batch = 1;
  std::size_t row = 0;
  std::size_t column = 0;
};

/// "linear 64 -> 16, batch 4, row 3"
std::string describe(const Place& place);

/// One result element of a subject that is a sum, to be asked with terms of any values. The other
/// elements of the call get zeros.
class Site {
 public:
  Site(const Subject& subject, const Place& place);

  const Place& place() const { return place_; }
  const Subject& subject() const { return subject_; }
  /// k, and one more for the bias, which is the last term.
  std::size_t terms() const { return place_.k + (has_bias() ? 1 : 0); }
  bool has_bias() const { return place_.kind == SumKind::linear_bias; }
  /// Are terms products that the subject computes? Else they are left * right, rounded to fp32.
  bool multiplies() const;
  /// Why the subject does not evaluate this; nothing if it does.
  std::optional<std::string> unsupported() const;

  /// The sum. Throws SubjectFault.
  float ask(std::span<const Term> terms);
  /// The sum of a few terms at given positions, zero elsewhere.
  struct At {
    std::size_t position;
    Term term;
  };
  float ask(std::initializer_list<At> few);

 private:
  void build();
  void fill(std::span<const Term> terms);

  const Subject& subject_;
  Place place_;
  Network network_;
  std::vector<Tensor> parameters_;
  std::vector<std::vector<float>> inputs_;
  std::vector<Term> scratch_;
  Caller caller_;
};

}  // namespace ulpfuzz::probe
