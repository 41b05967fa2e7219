#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cost.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {

/// A tensor of a case, found again in a copy of it.
class Place {
 public:
  Place(std::vector<Tensor> Case::*list, std::size_t index, std::string name)
      : list_(list), index_(index), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const Tensor& in(const Case& c) const {
    return list_ == nullptr ? c.cotangents : (c.*list_)[index_];
  }
  Tensor& in(Case& c) const { return list_ == nullptr ? c.cotangents : (c.*list_)[index_]; }

 private:
  std::vector<Tensor> Case::*list_;  ///< nothing: the cotangents
  std::size_t index_;
  std::string name_;
};

/// Inputs, parameters, cotangents: those that hold numbers.
std::vector<Place> places(const Case& c);

/// Which elements of a tensor, in order; the first ones where there are very many.
struct Elements {
  static constexpr std::size_t most = 1024;
  std::vector<std::uint32_t> list;
  bool all = true;
};

/// What simpler numbers could be made of.
struct Occupied {
  Elements nonzero;
  Elements odd;  ///< neither 0 nor 1
};
Occupied occupied(const Tensor& tensor);

inline bool is_simpler(float now, float before) { return element_cost(now) < element_cost(before); }

/// A way to make numbers simpler; where the result is not, the number stays as it is.
struct Kind {
  std::string name;
  float (*of)(float, int);
  int parameter = 0;

  float operator()(float x) const {
    const float now = of(x, parameter);
    return is_simpler(now, x) ? now : x;
  }
  bool helps(float x) const { return is_simpler(of(x, parameter), x); }
};

void apply(const Kind& kind, Tensor& tensor);

// Kinds.
float to_zero(float, int);
float finite_to_zero(float x, int);
float to_one(float, int);
float to_unit(float x, int);        ///< +-1, the sign kept, also of 0
float to_integer(float x, int);     ///< nearest, but not 0
float to_bits(float x, int bits);   ///< so many significant bits, towards 0, subnormal ones too
float to_end_bits(float x, int);    ///< the first and the last of the bits that are set
float to_next_power(float x, int);  ///< the power of two above, the sign kept
float to_magnitude(float x, int);   ///< without sign
/// The same significand with the exponent brought towards 0: `percent` of it is left.
float to_exponent(float x, int percent);
float to_smaller_exponent(float x, int);  ///< by one towards 0
float to_plain(float x, int);  ///< NaN without payload; infinities become the largest power of two

template <class Alter>
void offer_values(Edits& edits, const Case& c, std::string name, Alter alter) {
  edits.push_back({std::move(name), [&c, alter = std::move(alter)] {
                     Case result = c;
                     alter(result);
                     return result;
                   }});
}

}  // namespace ulpfuzz::generators
