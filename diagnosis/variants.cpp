#include "variants.hpp"

#include <fmt/format.h>

#include <map>

#include "engine.hpp"

namespace ulpfuzz::diagnosis {
namespace {

using Order = Summation::Order;

std::vector<Summation> all_orders() {
  struct Kind {
    Order order;
    std::uint32_t lanes;
  };
  constexpr Kind kinds[] = {{Order::pairwise, 8}, {Order::sequential, 8}, {Order::lanes, 8},
                            {Order::lanes, 4},    {Order::lanes, 16},     {Order::lanes, 32},
                            {Order::reversed, 8}};
  std::vector<Summation> list;
  for (const Kind& k : kinds)
    for (const bool fused : {false, true})
      for (const bool bias_first : {false, true})
        list.push_back({k.order, k.lanes, fused, bias_first});
  return list;
}

std::vector<Variant> all_variants() {
  std::vector<Variant> list;
  const auto all = hypotheses();
  for (std::size_t h = 0; h < all.size(); ++h) {
    Variant v{h, all[h].arithmetic};
    if (v.arithmetic.partials == 0) {
      list.push_back(v);
      continue;
    }
    for (const std::uint32_t parts : {4, 2, 8}) {
      v.arithmetic.partials = parts;
      list.push_back(v);
    }
  }
  return list;
}

/// What decides a prediction apart from roundings in fp32.
std::string conversions(const Variant& v) {
  const Arithmetic& a = v.arithmetic;
  const Hypothesis& h = hypotheses()[v.hypothesis];
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", static_cast<int>(a.operand),
                     static_cast<int>(a.conversion), static_cast<int>(a.split),
                     static_cast<int>(a.accumulate), a.partials, static_cast<int>(a.partial),
                     a.flushes_subnormals, h.fast_exp, h.fast_tanh, h.other_gelu);
}

std::vector<Family> all_families() {
  std::map<std::string, Family> byname;
  std::vector<std::string> names;
  const auto all = variants();
  for (std::size_t v = 0; v < all.size(); ++v) {
    const std::string key = conversions(all[v]);
    Family& family = byname[key];
    if (family.variants.empty()) names.push_back(key);
    // fp32 accumulation first: it stands between the units.
    const bool plain = all[v].arithmetic.unit.block == 0;
    family.variants.insert(plain ? family.variants.begin() : family.variants.end(), v);
    family.sensitive =
        all[v].arithmetic.accumulate != Format::fp32 || all[v].arithmetic.partials > 0;
    family.whole = whole(hypotheses()[all[v].hypothesis]);
  }
  std::vector<Family> list;
  for (const std::string& key : names) list.push_back(byname[key]);
  return list;
}

std::vector<std::unique_ptr<Emulated>> all_emulated() {
  std::vector<std::unique_ptr<Emulated>> list;
  for (const Variant& v : variants())
    for (const Summation& summation : orders()) {
      const Hypothesis& h = hypotheses()[v.hypothesis];
      list.push_back(std::make_unique<Emulated>(
          h.name, Emulation{v.arithmetic, summation, h.fast_exp, h.fast_tanh}));
    }
  return list;
}

}  // namespace

std::span<const Summation> orders() {
  static const auto list = all_orders();
  return list;
}

std::string describe(const Summation& s) {
  std::string text;
  switch (s.order) {
    case Order::sequential:
      text = "first to last";
      break;
    case Order::reversed:
      text = "last to first";
      break;
    case Order::pairwise:
      text = "pairwise";
      break;
    default:
      text = fmt::format("{} accumulators", s.lanes);
  }
  return text + (s.fused ? ", FMA" : "") + (s.bias_first ? ", bias first" : ", bias last");
}

std::span<const Variant> variants() {
  static const auto list = all_variants();
  return list;
}

std::span<const Family> families() {
  static const auto list = all_families();
  return list;
}

const Emulated& emulated(std::size_t variant, std::size_t order) {
  static const auto list = all_emulated();
  return *list[variant * orders().size() + order];
}

}  // namespace ulpfuzz::diagnosis
