#include "signature.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ulpfuzz::properties {
namespace {

constexpr double no_alarm = 1e3;  // lambda: the sound bound decides
constexpr double far = 4;         // times the bounds: another value beyond doubt
constexpr double fair_part = 1.0 / 64;

bool allows(const Side& s, float value) {
  const Judged judged = judge_reference(value, s, no_alarm, true);
  return judged.ruling != Ruling::fail && judged.tier != Tier::none;
}

bool comparable(const Side& s) {
  return s.judgement == bounds::Judgement::usable || s.judgement == bounds::Judgement::exact;
}

Side scaled_side(Side s, double factor) {
  s.reference *= factor;
  s.sound = s.sound * std::fabs(factor) + std::fabs(s.reference) * 0x1p-23;
  s.sigma *= std::fabs(factor);
  if (s.judgement == bounds::Judgement::exact) s.judgement = bounds::Judgement::usable;
  return s;
}

}  // namespace

Inquiry::Inquiry(bounds::Analysis& analysis, const Scene& scene)
    : analysis_(analysis), scene_(scene) {
  run(scene.network, scene.parameters, scene.inputs(gather_, scene.entries), scene.entries.size(),
      scene.arithmetic);
  std::set<std::uint32_t> entries_off;
  std::size_t judged = 0;
  for (const Element& e : scene.elements) {
    const Side s = side(analysis_.output(e.output), e.index);
    if (s.reference != 0) ++judged;
    if (judge_reference(e.value, s, no_alarm, true).ruling != Ruling::fail) continue;
    failing_.push_back({e, s});
    entries_off.insert(e.entry);
  }
  rounding_ = entries_off.size() > 1 && 2 * entries_off.size() > scene.entries.size() &&
              4 * failing_.size() >= judged && failing_.size() >= 3;
}

std::size_t Inquiry::failing_in(std::size_t entries) const {
  return static_cast<std::size_t>(
      std::partition_point(failing_.begin(), failing_.end(),
                           [&](const Failing& f) { return f.element.entry < entries; }) -
      failing_.begin());
}

void Inquiry::run(const Network& network, std::span<const Tensor> parameters,
                  std::span<const float* const> inputs, std::size_t entries,
                  const Arithmetic& arithmetic) {
  const std::size_t rows = scene_.summed_rows != 0 ? scene_.summed_rows : entries;
  analysis_.run(network, parameters, rows, inputs, arithmetic);
  for (std::size_t i = 0; i < entries && scene_.summed_rows == 0; ++i) analysis_.refine(i);
}

Inquiry::Sides Inquiry::expected(std::size_t entries) const {
  Sides sides;
  for (std::size_t i = 0; i < failing_in(entries); ++i) {
    const Element& e = failing_[i].element;
    sides.push_back(side(analysis_.output(e.output), e.index));
  }
  return sides;
}

Side Inquiry::beside(const Element& e, int by) const {
  const auto at = std::ptrdiff_t{e.index} + by;
  const std::ptrdiff_t size = scene_.entry_size;
  if (at < e.entry * size || at >= (e.entry + 1) * size) return {};
  return side(analysis_.output(e.output), static_cast<std::size_t>(at));
}

Inquiry::Telling Inquiry::judge(const Sides& predicted) const {
  std::set<std::pair<float, float>> telling;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Side& p = predicted[i];
    const Failing& f = failing_[i];
    if (!allows(p, f.element.value)) return std::nullopt;
    if (!comparable(p) || !comparable(f.expected)) continue;
    if (std::fabs(p.reference - f.expected.reference) <= far * (p.sound + f.expected.sound)) {
      continue;
    }
    telling.emplace(static_cast<float>(std::fabs(p.reference)),
                    static_cast<float>(std::fabs(f.expected.reference)));
  }
  // Zero is what many slips come to.
  const bool zero =
      std::all_of(telling.begin(), telling.end(), [](const auto& t) { return t.first == 0; });
  if (!zero) std::erase_if(telling, [](const auto& t) { return t.first == 0; });
  return telling.size();
}

template <class Predict>
Inquiry::Telling Inquiry::in_two_steps(const Predict& predict) const {
  if (scene_.entries.size() > 1 && failing_in(1) > 0 && !judge(predict(1))) return std::nullopt;
  return judge(predict(scene_.entries.size()));
}

Inquiry::Telling Inquiry::scaled(double factor) const {
  Sides sides;
  for (const Failing& f : failing_) sides.push_back(scaled_side(f.expected, factor));
  return judge(sides);
}

Inquiry::Telling Inquiry::recomputed(const Network& network, std::span<const Tensor> parameters) {
  return in_two_steps([&](std::size_t entries) {
    run(network, parameters, scene_.inputs(gather_, std::span(scene_.entries).first(entries)),
        entries, scene_.arithmetic);
    return expected(entries);
  });
}

Inquiry::Telling Inquiry::reading(const Entries& others) {
  return in_two_steps([&](std::size_t entries) {
    run(scene_.network, scene_.parameters, scene_.inputs(gather_, std::span(others).first(entries)),
        entries, scene_.arithmetic);
    return expected(entries);
  });
}

Inquiry::Telling Inquiry::reading(const Network& doubled, const Entries& others,
                                  std::uint32_t shift) {
  return in_two_steps([&](std::size_t entries) {
    const auto first = scene_.inputs(gather_, std::span(others).first(entries));
    std::vector<const float*> both(first.begin(), first.end());
    const auto own = scene_.inputs(own_, std::span(scene_.entries).first(entries));
    both.insert(both.end(), own.begin(), own.end());
    run(doubled, scene_.parameters, both, entries, scene_.arithmetic);
    Sides sides = expected(entries);
    for (std::size_t i = 0; shift != 0 && i < sides.size(); ++i) {
      const Element& e = failing_[i].element;
      if (!allows(sides[i], e.value)) sides[i] = beside(e, -static_cast<int>(shift));
    }
    return sides;
  });
}

Inquiry::Telling Inquiry::shifted(int by) {
  run(scene_.network, scene_.parameters, scene_.inputs(gather_, scene_.entries),
      scene_.entries.size(), scene_.arithmetic);
  Sides sides;
  for (const Failing& f : failing_) sides.push_back(beside(f.element, by));
  return judge(sides);
}

bool Inquiry::computed_with(const Arithmetic& arithmetic) {
  run(scene_.network, scene_.parameters, scene_.inputs(gather_, scene_.entries),
      scene_.entries.size(), arithmetic);
  const Sides sides = expected(scene_.entries.size());
  double largest = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Judged judged = judge_reference(failing_[i].element.value, sides[i], no_alarm, true);
    if (judged.ruling == Ruling::fail || judged.tier == Tier::none) return false;
    if (sides[i].sound > 0) largest = std::max(largest, judged.difference / sides[i].sound);
  }
  return largest >= fair_part;
}

}  // namespace ulpfuzz::properties
