#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz {

Arithmetic plain_products(const Arithmetic& mixed) {
  const Arithmetic plain;
  Arithmetic a = mixed;
  a.operand = plain.operand;
  a.conversion = plain.conversion;
  a.split = plain.split;
  a.accumulate = plain.accumulate;
  a.unit = plain.unit;
  a.depth = plain.depth;
  a.partials = plain.partials;
  a.partial = plain.partial;
  a.mixed = false;
  return a;
}

bool truncates(const Arithmetic& a) {
  const bool converts =
      traits(a.operand).precision < traits(Format::fp32).precision || a.split != Split::none;
  return a.unit.block > 0 || (converts && a.conversion == Rounding::toward_zero);
}

}  // namespace ulpfuzz
