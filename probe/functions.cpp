#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "op_site.hpp"
#include "random.hpp"
#include "report.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::probe {
namespace {

/// Enough for vector code and its rest, few enough rows for a subject that fails in large batches.
constexpr std::size_t most_rows = 200;
constexpr std::uint32_t row_width = 500;

/// Magnitudes of all sizes that functions look at, and as many spread evenly, of both signs.
std::vector<float> sample(Random& random, std::size_t count) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto spread = static_cast<float>(random.bits() >> 40) * 0x1p-24f;
    const float wide =
        random.significand() * std::ldexp(1.0f, static_cast<int>(random.below(30)) - 23);
    const float x = i % 2 == 0 ? wide : spread * (i % 4 == 1 ? 8.0f : 90.0f);
    all[i] = random.below(2) == 0 ? x : -x;
  }
  return all;
}

/// The largest error in ulps of the exact value, and the largest in units of what the claim allows.
struct Errors {
  double ulps = 0, at = 0, got = 0, exact = 0;
  double share = 0, share_at = 0, share_error = 0;
  double relative = 0;
  double absolute = 0;  ///< in units of 2^-24 max(1, |x|)
  std::size_t judged = 0;
};

Errors errors_of(const bounds::OutputBounds& b, std::span<const float> got,
                 std::span<const float> x) {
  Errors e;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool judged =
        b.judgement[i] == bounds::Judgement::usable || b.judgement[i] == bounds::Judgement::exact;
    if (!judged) continue;
    ++e.judged;
    const double error = std::fabs(double{got[i]} - b.reference[i]);
    const double ulps = error / ulp(b.reference[i], Format::fp32);
    e.absolute = std::max(e.absolute, error * 0x1p24 / std::max(1.0, std::fabs(double{x[i]})));
    if (!(ulps <= e.ulps) && !(std::fabs(b.reference[i]) < 0x1p-126)) {
      e.ulps = ulps;
      e.at = x[i];
      e.got = got[i];
      e.exact = b.reference[i];
    }
    if (std::fabs(b.reference[i]) > 0x1p-100)
      e.relative = std::max(e.relative, error / std::fabs(b.reference[i]));
    const double share = error == 0 ? 0 : error / b.sound[i];
    if (!(share <= e.share)) {
      e.share = share;
      e.share_at = x[i];
      e.share_error = ulps;
    }
  }
  return e;
}

std::string text_of(const Errors& e) {
  if (e.judged == 0) return "not judged";
  if (e.ulps < 1000) return fmt::format("largest error {:.3g} ulp, at {:.9g}", e.ulps, e.at);
  return fmt::format(
      "largest error {:.3g} 2^-24 max(1, |x|); relative accuracy is lost, as at {:.9g}", e.absolute,
      e.at);
}

std::string evidence_of(const Errors& e) {
  return fmt::format(
      "gives {:.9g}, exact {:.12g}; at most {:.2g} of what the claim allows (at "
      "{:.9g}); {} numbers",
      e.got, e.exact, e.share, e.share_at, e.judged);
}

void add(const std::string& what, const Errors& e, const std::string& note, Report& report) {
  const bool broken = !(e.share <= 1);
  report.findings.push_back(
      {what, text_of(e) + note + (broken ? " (more than claimed)" : ""), evidence_of(e), broken});
}

/// e^x as softmax shows it in rows of 0 and numbers so far below that the sum is 1: nothing but exp
/// rounds.
constexpr std::uint32_t exp_width = 61;

std::vector<float> far_below(std::size_t rows) {
  std::vector<float> x(rows * exp_width);
  const auto count = static_cast<float>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % exp_width == 0 ? 0 : -25.0f - 62.0f * (static_cast<float>(i) + 0.5f) / count;
  return x;
}

/// Narrower formats round results by more, or do not reach so far down.
bool is_wide(Format format) { return format == Format::fp32 || format == Format::fp64; }

void judge_exponential(std::span<const float> x, std::span<const float> y, const Arithmetic& a,
                       Report& report) {
  const ElementaryAccuracy& claim = a.elementary;
  const bool wide = is_wide(a.accumulate) && is_wide(a.keep) && is_wide(a.store);
  double near = 0, worst = 0, at = 0;
  bool broken = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    const double exact = std::exp(double{x[i]});
    const double ulps = std::fabs(double{y[i]} - exact) / ulp(exact, Format::fp32);
    if (x[i] > -35) near = std::max(near, ulps);
    if (!(ulps <= worst)) {
      worst = ulps;
      at = x[i];
    }
    // One ulp for a division by 1 that is a product with a reciprocal.
    broken = broken || (wide && !(ulps <= claim.exp + claim.exp_per_unit * -x[i] + 1));
  }
  std::string text = fmt::format("largest error {:.3g} ulp, at {:.9g}", worst, at);
  if (worst > 8 && worst > 1.7 * near)
    text += "; grows with |x|, as 2^(x log2 e) does with a rounded product (__expf)";
  if (broken) text += fmt::format(" (claimed: {:g} ulp)", claim.exp);
  report.findings.push_back(
      {"exp", text, fmt::format("softmax of rows of 0 and {} numbers in -87 .. -25", exp_width - 1),
       broken});
}

void measure_exponential(const Subject& subject, const Options& options, Report& report) {
  Network network;
  const std::size_t batch = std::min(most_rows, options.largest_batch);
  const std::size_t rows = std::max<std::size_t>(1, options.samples / exp_width / batch);
  network.output(
      network.softmax(network.input(Shape{static_cast<std::uint32_t>(rows), exp_width})));
  OpSite site(subject, std::move(network));
  if (site.unsupported()) return;
  tell(options, fmt::format("functions: exp, batch {}", batch));
  const std::vector<std::vector<float>> x{far_below(rows * batch)};
  attempt(report, "exp",
          [&] { judge_exponential(x[0], site.ask(batch, x), subject.arithmetic(), report); });
}

void measure_function(const Subject& subject, Op op, bool derivative, const Options& options,
                      Report& report) {
  const std::size_t batch = std::min(most_rows, options.largest_batch);
  const auto width = static_cast<std::uint32_t>(std::max<std::size_t>(1, options.samples / batch));
  OpSite site(subject, elementwise(op, derivative, width));
  const std::string what = title(op, derivative);
  if (site.unsupported()) return;
  tell(options, fmt::format("functions: {}, batch {}", what, batch));
  Random random(options.seed);
  const std::vector<std::vector<float>> inputs{sample(random, batch * width)};
  attempt(report, what, [&] {
    const std::span<const float> got = site.ask(batch, inputs);
    bounds::Analysis analysis;
    analysis.run(site.network(), site.parameters(), batch, site.pointers(), subject.arithmetic());
    const bounds::OutputBounds b = analysis.output(0);
    const Errors e = errors_of(b, got, inputs[0]);
    std::string note;
    if (op == Op::tanh && !derivative && e.ulps > 500)
      note = fmt::format("; relative error 2^{:.1f}, as of tanh.approx", std::log2(e.relative));
    add(what, e, note, report);
  });
}

/// Same number everywhere in the array: do the last elements get other bits, as of another
/// function?
void find_places(const Subject& subject, const Options& options, Report& report) {
  constexpr std::uint32_t odd = 61;
  Random random(options.seed);
  std::vector<std::string> names;
  for (const Op op : smooth_activations) {
    OpSite site(subject, elementwise(op, false, odd));
    if (site.unsupported()) continue;
    attempt(report, std::string(name(op)), [&] {
      for (int trial = 0; trial < 100; ++trial) {
        const std::vector<std::vector<float>> inputs{
            std::vector<float>(odd, random.number() * (trial % 2 == 0 ? 1.0f : 4.0f))};
        const std::span<const float> y = site.ask(1, inputs);
        if (std::all_of(y.begin(), y.end(), [&](float v) { return same_bits(v, y[0]); })) continue;
        names.emplace_back(name(op));
        return;
      }
    });
  }
  report.findings.push_back(
      {"functions and the place in the array",
       names.empty() ? "no influence"
                     : fmt::format("other bits in some places: {}", joined(names, ", ")),
       fmt::format("arrays of {} equal numbers", odd), false});
}

/// Functions of rows of random numbers.
void measure_rows(const Subject& subject, Op op, const Options& options, Report& report) {
  Network network;
  const NodeId x = network.input(row_width);
  network.output(op == Op::softmax      ? network.softmax(x)
                 : op == Op::layer_norm ? network.layer_norm(x)
                                        : network.rms_norm(x));
  OpSite site(subject, std::move(network));
  const std::string what(name(op));
  if (site.unsupported()) return;
  const std::size_t batch = std::min<std::size_t>(20, options.largest_batch);
  tell(options, fmt::format("functions: {}, batch {}", what, batch));
  Random random(options.seed);
  std::vector<std::vector<float>> inputs(1);
  for (std::size_t i = 0; i < batch * row_width; ++i) inputs[0].push_back(3 * random.number());
  attempt(report, what, [&] {
    const std::span<const float> got = site.ask(batch, inputs);
    bounds::Analysis analysis;
    analysis.run(site.network(), site.parameters(), batch, site.pointers(), subject.arithmetic());
    add(what, errors_of(analysis.output(0), got, inputs[0]), "", report);
  });
}

}  // namespace

Network elementwise(Op op, bool derivative, std::uint32_t width) {
  Network network;
  const NodeId x = network.input(width);
  const float alpha = op == Op::leaky_relu ? 0.01f : op == Op::elu ? 1.0f : 0.0f;
  network.output(derivative ? network.derivative(op, x, alpha) : network.activation(op, x, alpha));
  return network;
}

void probe_functions(const Subject& subject, const Options& options, Report& report) {
  for (const Op op : smooth_activations)
    for (const bool derivative : {false, true})
      measure_function(subject, op, derivative, options, report);
  measure_exponential(subject, options, report);
  for (const Op op : {Op::softmax, Op::layer_norm, Op::rms_norm})
    measure_rows(subject, op, options, report);
  find_places(subject, options, report);
}

}  // namespace ulpfuzz::probe
