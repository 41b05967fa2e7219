#include <functional>
#include <map>

#include "soundness/trial.hpp"

namespace ulpfuzz::bench {
namespace {

using Draw = std::function<void(Arithmetic&, Random&)>;

Rounding any_rounding(Random& random) { return static_cast<Rounding>(pick(random, 3)); }

Draw operands(Format format, Rounding rounding) {
  return [=](Arithmetic& a, Random&) { a.operand = format, a.conversion = rounding; };
}

// Half the time bf16, else fp16 or, where `tf32`, that alone.
Draw unit(MatmulUnit which, bool tf32) {
  return [=](Arithmetic& a, Random& random) {
    a.unit = which;
    a.operand = tf32 ? Format::tf32 : pick(random, 2) == 0 ? Format::bf16 : Format::fp16;
    a.conversion = any_rounding(random);
  };
}

Draw split(Split which) {
  return [=](Arithmetic& a, Random& random) {
    a.split = which;
    a.conversion = any_rounding(random);
    if (pick(random, 3) == 0)
      a.unit = which == Split::tf32x3 ? matmul_units::ampere_tf32 : matmul_units::ampere_half;
  };
}

Draw accumulators(Format format) {
  return [=](Arithmetic& a, Random& random) {
    a.accumulate = format;
    if (pick(random, 2) == 0) a.operand = a.store = format;
  };
}

Draw parts(Format format) {
  return [=](Arithmetic& a, Random& random) {
    a.partials = 2 + static_cast<std::uint32_t>(pick(random, 7));
    a.partial = format;
    if (pick(random, 2) == 0) a.operand = Format::bf16;
    if (pick(random, 4) == 0) a.unit = matmul_units::ampere_half;
  };
}

Draw kept(Format format) {
  return [=](Arithmetic& a, Random& random) {
    a.keep = format;
    if (pick(random, 2) == 0) a.operand = a.store = format;
  };
}

// Products that are computed so, or in plain fp32.
Draw mixed(const Draw& stated) {
  return [=](Arithmetic& a, Random& random) {
    stated(a, random);
    a.mixed = true;
  };
}

const std::map<std::string, Draw>& families() {
  static const std::map<std::string, Draw> all{
      {"fp32", [](Arithmetic&, Random&) {}},
      {"fp64", [](Arithmetic& a, Random&) { a.accumulate = Format::fp64; }},
      {"accurate", [](Arithmetic& a, Random&) { a.formulas = Formulas::accurate; }},
      {"known_depth", [](Arithmetic&, Random&) {}},
      {"tf32_rne", operands(Format::tf32, Rounding::nearest_even)},
      {"tf32_rna", operands(Format::tf32, Rounding::nearest_away)},
      {"tf32_rz", operands(Format::tf32, Rounding::toward_zero)},
      {"bf16_rne", operands(Format::bf16, Rounding::nearest_even)},
      {"bf16_rz", operands(Format::bf16, Rounding::toward_zero)},
      {"fp16_rne", operands(Format::fp16, Rounding::nearest_even)},
      {"fp16_rz", operands(Format::fp16, Rounding::toward_zero)},
      {"unit_volta_half", unit(matmul_units::volta_half, false)},
      {"unit_turing_half", unit(matmul_units::turing_half, false)},
      {"unit_ampere_tf32", unit(matmul_units::ampere_tf32, true)},
      {"unit_hopper_tf32", unit(matmul_units::hopper_tf32, true)},
      {"unit_hopper_half", unit(matmul_units::hopper_half, false)},
      {"bf16x3", split(Split::bf16x3)},
      {"bf16x6", split(Split::bf16x6)},
      {"bf16x9", split(Split::bf16x9)},
      {"tf32x3", split(Split::tf32x3)},
      {"sums_fp16", accumulators(Format::fp16)},
      {"sums_bf16", accumulators(Format::bf16)},
      {"parts_fp32", parts(Format::fp32)},
      {"parts_fp16", parts(Format::fp16)},
      {"parts_bf16", parts(Format::bf16)},
      {"keep_fp16", kept(Format::fp16)},
      {"keep_bf16", kept(Format::bf16)},
      {"store_fp16", [](Arithmetic& a, Random&) { a.store = Format::fp16; }},
      {"store_bf16", [](Arithmetic& a, Random&) { a.store = Format::bf16; }},
      {"flushing", [](Arithmetic& a, Random&) { a.flushes_subnormals = true; }},
      {"fast", [](Arithmetic& a, Random&) { a.elementary = fast_functions; }},
      {"mixed_tf32", mixed(operands(Format::tf32, Rounding::nearest_away))},
      {"mixed_unit_tf32", mixed(unit(matmul_units::ampere_tf32, true))},
      {"mixed_unit_half", mixed(unit(matmul_units::hopper_half, false))},
      {"mixed_split", mixed(split(Split::bf16x3))},
      {"mixed_parts", mixed(parts(Format::bf16))},
      {"mixed_keep", mixed(kept(Format::bf16))},
      {"layered", [](Arithmetic&, Random&) {}},
  };
  return all;
}

// Some nodes fp32, some in an arithmetic of their own; one format of accumulation for all.
void draw_exceptions(const Network& network, Random& random, LayeredArithmetic& a) {
  constexpr std::array<const char*, 11> kinds{
      "fp32",       "tf32_rna",        "bf16_rne",         "fp16_rne",
      "bf16x3",     "tf32x3",          "unit_ampere_tf32", "keep_bf16",
      "parts_bf16", "mixed_unit_tf32", "mixed_parts"};
  const auto draw = [&](Arithmetic& to) {
    families().at(kinds[pick(random, kinds.size())])(to, random);
    to.store = Format::fp32;
  };
  draw(a.everywhere);
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).arity > 0 && pick(random, 3) == 0) {
      Arithmetic own;
      draw(own);
      a.except.emplace_back(id, own);
    }
}

}  // namespace

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto& [name, draw] : families()) names.push_back(name);
  return names;
}

void draw_arithmetic(const std::string& family, const Network& network, Random& random, Trial& t) {
  Arithmetic& a = t.arithmetic.everywhere;
  t.family = family;
  families().at(family)(a, random);
  t.known_depth = family == "known_depth";
  if (family == "layered") draw_exceptions(network, random, t.arithmetic);
  const bool converts = a.operand != Format::fp32 || family == "layered";
  t.conditional = converts && a.accumulate == Format::fp32 && pick(random, 2) == 0;
  if (pick(random, 4) == 0) a.outer_by_matmul = false;
}

}  // namespace ulpfuzz::bench
