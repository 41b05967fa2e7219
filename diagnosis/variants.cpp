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
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(a.operand),
                     static_cast<int>(a.conversion), static_cast<int>(a.split),
                     static_cast<int>(a.accumulate), a.partials, static_cast<int>(a.partial),
                     static_cast<int>(a.keep), static_cast<int>(h.parameters), a.flushes_subnormals,
                     h.fast_exp, h.fast_tanh, h.other_gelu);
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
    // Of kept results most are the same in all orders, and few move by a whole quantum: a narrow
    // scale tells more of them than one that covers all.
    family.sensitive =
        depends_on_order(all[v].arithmetic) && all[v].arithmetic.keep == Format::fp32;
    family.whole = whole(hypotheses()[all[v].hypothesis]);
  }
  std::vector<Family> list;
  for (const std::string& key : names) list.push_back(byname[key]);
  return list;
}

/// Evaluates with parameters that are rounded to a format first.
class WithRoundedParameters final : public Subject {
 public:
  WithRoundedParameters(const Hypothesis& h, Emulation emulation)
      : format_(h.parameters), subject_(h.name, std::move(emulation)) {}
  std::string_view name() const override { return subject_.name(); }
  Arithmetic arithmetic() const override { return subject_.arithmetic(); }
  void evaluate(const Evaluation& e) const override {
    const std::vector<Tensor> parameters = rounded(e.parameters, format_);
    subject_.evaluate({e.network, parameters, e.batch, e.inputs, e.outputs});
  }

 private:
  Format format_;
  Emulated subject_;
};

std::vector<std::unique_ptr<Subject>> all_emulated() {
  std::vector<std::unique_ptr<Subject>> list;
  for (const Variant& v : variants())
    for (const Summation& summation : orders()) {
      const Hypothesis& h = hypotheses()[v.hypothesis];
      Emulation e{v.arithmetic, summation, h.fast_exp, h.fast_tanh};
      if (h.parameters == Format::fp32)
        list.push_back(std::make_unique<Emulated>(h.name, std::move(e)));
      else
        list.push_back(std::make_unique<WithRoundedParameters>(h, std::move(e)));
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

std::vector<Tensor> rounded(std::span<const Tensor> parameters, Format format) {
  std::vector<Tensor> list(parameters.begin(), parameters.end());
  for (Tensor& t : list)
    for (float& x : t.data) x = static_cast<float>(round_to(x, format));
  return list;
}

bool depends_on_order(const Arithmetic& a) {
  return a.accumulate != Format::fp32 || a.keep != Format::fp32 || a.partials > 0;
}

const Subject& emulated(std::size_t variant, std::size_t order) {
  static const auto list = all_emulated();
  return *list[variant * orders().size() + order];
}

}  // namespace ulpfuzz::diagnosis
