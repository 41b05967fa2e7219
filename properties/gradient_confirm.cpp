#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

/// Judges one element of one Jacobian kind anew, analysing no more than it needs.
class Confirmation {
 public:
  Confirmation(const GradientTrial& t, const Case& c)
      : t_(t), c_(c), paths_(evaluate_gradients(t, c)) {
    std::size_t elements = 0;
    for (const std::size_t n : paths_.loop.elements) elements += n;
    lambda_ =
        bounds::lambda(elements * paths_.loop.batch * paths_.loop.outputs, t.trial.options.eps);
  }

  bool exceeds(const Place& p) {
    Judged judged;
    switch (p.kind) {
      case Kind::summed:
        judged = summed(p);
        break;
      case Kind::loop_forward:
        judged = judge(p, reverse_value(paths_.loop, p), forward_value(*paths_.forward, p),
                       loop_side(p), forward_side(p));
        break;
      default:
        judged = judge(p, reverse_value(paths_.loop, p), reverse_value(paths_.reverse, p),
                       loop_side(p), loop_side(p));
    }
    return judged.ruling == Ruling::alarm || judged.ruling == Ruling::fail;
  }

 private:
  Judged judge(const Place& p, float a, float b, const Side& sa, const Side& sb) const {
    if (p.pair == Pair::paths) return judge_paths(a, b, sa, sb, lambda_, true);
    return p.pair == Pair::a_reference ? judge_reference(a, sa, lambda_, true)
                                       : judge_reference(b, sb, lambda_, true);
  }

  Side run(const Network& network, std::size_t batch, std::span<const float* const> inputs,
           std::size_t output, std::size_t element) {
    bounds::Analysis& analysis = t_.trial.context.analysis;
    analysis.run(network, c_.parameters, batch, inputs, t_.trial.subject.arithmetic(), {},
                 confirming);
    return side(analysis.output(output), element);
  }

  Side loop_side(const Place& p) {
    const Gather::Entry entry{p.row, p.column};
    return run(t_.derived.loop, 1, gather_.entries(c_, std::span<const Gather::Entry>(&entry, 1)),
               p.wrt, p.element);
  }

  Side forward_side(const Place& p) {
    return run(t_.derived.forward[p.wrt], 1, gather_.rows(c_, {&p.row, 1}), 0,
               p.element * paths_.loop.outputs + p.column);
  }

  Judged summed(const Place& p) {
    const Side s = run(t_.derived.summed, paths_.rows.size(),
                       gather_.with_cotangents(c_, paths_.rows), p.wrt, p.element);
    const std::size_t parameter = p.wrt - c_.inputs.size();
    return judge(p, paths_.whole[parameter][p.element], paths_.micro[parameter][p.element], s,
                 micro_side(s, paths_.micro_rounding[parameter][p.element]));
  }

  const GradientTrial& t_;
  const Case& c_;
  GradientPaths paths_;
  double lambda_ = 0;
  Gather gather_;
};

}  // namespace

std::vector<bool> gradients_exceed_again(const GradientTrial& t, const Case& again,
                                         const std::vector<Finding>& alarms) {
  Confirmation confirmation(t, again);
  const BoundClock clock(t.trial.context);
  std::vector<bool> result;
  for (const Finding& alarm : alarms) result.push_back(confirmation.exceeds(alarm.place));
  return result;
}

}  // namespace ulpfuzz::properties
