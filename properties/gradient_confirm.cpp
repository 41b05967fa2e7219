#include <algorithm>
#include <numeric>
#include <tuple>

#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

/// Those that one analysis bounds, one after the other. In forward mode that is the one with all
/// tangents of a row, most of the work.
std::vector<std::size_t> by_analysis(const std::vector<Finding>& alarms) {
  const auto key = [&](std::size_t i) {
    const Place& p = alarms[i].place;
    const bool forward = p.kind == Kind::loop_forward;
    return std::tuple(p.kind, p.row, forward ? p.wrt : p.column, forward ? p.column : p.wrt);
  };
  std::vector<std::size_t> order(alarms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

/// Judges elements anew, analysing no more than they need.
class Confirmation {
 public:
  Confirmation(const GradientTrial& t, const Case& c)
      : t_(t), c_(c), paths_(evaluate_gradients(t, c)) {
    std::size_t elements = 0;
    for (const std::size_t n : paths_.loop.elements) elements += n;
    lambda_ =
        bounds::lambda(elements * paths_.loop.batch * paths_.loop.outputs, t.trial.options.eps);
  }

  /// One of a Jacobian.
  bool exceeds(const Place& p) {
    const float a = reverse_value(paths_.loop, p);
    const Side loop = loop_side(p);
    if (p.kind == Kind::loop_reverse) {
      return is_beyond(judge(p, a, reverse_value(paths_.reverse, p), loop, loop));
    }
    return is_beyond(judge(p, a, forward_value(*paths_.forward, p), loop, forward_side(p)));
  }

  /// Those of batch sums, all at once: one analysis of each micro-batch bounds them all.
  std::vector<bool> sums_exceed(std::span<const Place> places) {
    std::vector<SummedElement> elements;
    for (const Place& p : places) elements.push_back({p, whole_side(p)});
    const std::vector<Side> micro =
        micro_sides(forward_analysis_, t_, c_, paths_, elements, confirming);
    forward_.network = nullptr;
    std::vector<bool> result;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& p = places[i];
      const std::size_t parameter = parameter_of(c_, p);
      result.push_back(
          is_beyond(judge(p, paths_.whole.gradients[parameter][p.element],
                          paths_.micro[parameter][p.element], elements[i].side, micro[i])));
    }
    return result;
  }

 private:
  static bool is_beyond(const Judged& judged) {
    return judged.ruling == Ruling::alarm || judged.ruling == Ruling::fail;
  }

  Judged judge(const Place& p, float a, float b, const Side& sa, const Side& sb) const {
    if (p.pair == Pair::paths) return judge_paths(a, b, sa, sb, lambda_, true);
    return p.pair == Pair::a_reference ? judge_reference(a, sa, lambda_, true)
                                       : judge_reference(b, sb, lambda_, true);
  }

  /// What an analysis is of by now.
  struct Analysed {
    bounds::Analysis& analysis;
    const Network* network = nullptr;
    std::uint32_t row = 0, column = 0;
  };

  /// As it is, if it is of that already. `inputs()`: those of the row and the column.
  template <class Inputs>
  void analyse(Analysed& of, const Network& network, std::uint32_t row, std::uint32_t column,
               std::size_t batch, const Inputs& inputs) {
    if (of.network == &network && of.row == row && of.column == column) return;
    of.analysis.run(network, c_.parameters, batch, inputs(), t_.trial.subject.arithmetic(), {},
                    confirming);
    of.network = &network, of.row = row, of.column = column;
  }

  Side loop_side(const Place& p) {
    const Gather::Entry entry{p.row, p.column};
    analyse(backward_, t_.derived.loop, p.row, p.column, 1,
            [&] { return gather_.entries(c_, std::span<const Gather::Entry>(&entry, 1)); });
    return side(backward_.analysis.output(p.wrt), p.element);
  }

  Side forward_side(const Place& p) {
    analyse(forward_, t_.derived.forward[p.wrt], p.row, 0, 1, [&] {
      return gather_.rows(c_, {&p.row, 1});
    });
    return side(forward_.analysis.output(0), p.element * paths_.loop.outputs + p.column);
  }

  Side whole_side(const Place& p) {
    analyse(backward_, t_.derived.summed, 0, 0, paths_.whole.rows.size(),
            [&] { return gather_.with_cotangents(c_, paths_.whole.rows); });
    return side(backward_.analysis.output(p.wrt), p.element);
  }

  const GradientTrial& t_;
  const Case& c_;
  GradientPaths paths_;
  double lambda_ = 0;
  Gather gather_;
  bounds::Analysis forward_analysis_;  // its own: each alarm of forward mode asks both
  Analysed backward_{t_.trial.context.analysis}, forward_{forward_analysis_};
};

}  // namespace

std::vector<bool> gradients_exceed_again(const GradientTrial& t, const Case& again,
                                         const std::vector<Finding>& alarms) {
  Confirmation confirmation(t, again);
  const BoundClock clock(t.trial.context);
  std::vector<bool> result(alarms.size());
  std::vector<std::size_t> sums;
  std::vector<Place> places;
  for (const std::size_t i : by_analysis(alarms)) {
    if (alarms[i].place.kind != Kind::summed) {
      result[i] = confirmation.exceeds(alarms[i].place);
      continue;
    }
    sums.push_back(i);
    places.push_back(alarms[i].place);
  }
  const std::vector<bool> beyond = confirmation.sums_exceed(places);
  for (std::size_t i = 0; i < sums.size(); ++i) result[sums[i]] = beyond[i];
  return result;
}

}  // namespace ulpfuzz::properties
