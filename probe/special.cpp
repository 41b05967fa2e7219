#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "op_site.hpp"
#include "report.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// The sign of a NaN that comes out says nothing.
std::string result_word(float x) { return std::isnan(x) ? "NaN" : word(x); }

/// Single numbers through a network of one op.
class Values {
 public:
  Values(const Subject& subject, const Options& options, Report& report)
      : subject_(subject), options_(options), report_(report) {}

  /// "NaN -> NaN, -0 -> 0, .."
  void function(Op op, bool derivative, const std::vector<float>& x) {
    OpSite site(subject_, elementwise(op, derivative, static_cast<std::uint32_t>(x.size())));
    if (site.unsupported()) return;
    const std::string what = title(op, derivative);
    tell(options_, "special values: " + what);
    attempt(report_, what, [&] {
      const std::span<const float> y = site.ask(1, {x});
      std::string text;
      for (std::size_t i = 0; i < x.size(); ++i)
        text += fmt::format("{}{} -> {}", i == 0 ? "" : ", ", word(x[i]), result_word(y[i]));
      report_.findings.push_back({"special values of " + what, text, "one element each", false});
    });
  }

  void softmax(const char* what, const std::vector<float>& x) {
    Network network;
    network.output(network.softmax(network.input(static_cast<std::uint32_t>(x.size()))));
    OpSite site(subject_, std::move(network));
    if (site.unsupported()) return;
    attempt(report_, "softmax", [&] {
      std::string given, text;
      const std::span<const float> y = site.ask(1, {x});
      for (std::size_t i = 0; i < x.size(); ++i) {
        given += fmt::format("{}{}", i == 0 ? "" : ", ", word(x[i]));
        text += fmt::format("{}{}", i == 0 ? "" : ", ", result_word(y[i]));
      }
      report_.findings.push_back({what, text, "softmax of " + given, false});
    });
  }

  /// 4095 and 4097 by turns: the mean of their squares, 4096^2 + 1, needs 25 bits.
  void variance() {
    constexpr std::uint32_t width = 16;
    Network network;
    network.output(network.layer_norm(network.input(width)));
    OpSite site(subject_, std::move(network));
    if (site.unsupported()) return;
    std::vector<float> x(width);
    for (std::size_t i = 0; i < width; ++i) x[i] = i % 2 == 0 ? 4095.0f : 4097.0f;
    attempt(report_, "layer_norm", [&] {
      const float y = site.ask(1, {x})[0];
      const bool right = std::fabs(y + 1.0f) < 0.01f;
      report_.findings.push_back(
          {"variance of layer_norm",
           right ? "by deviations from the mean" : "not by deviations from the mean: cancels",
           fmt::format("4095 and 4097 by turns: {} instead of -0.999995", word(y)), false});
    });
  }

 private:
  const Subject& subject_;
  const Options& options_;
  Report& report_;
};

}  // namespace

std::string word(float x) {
  if (std::isnan(x)) return std::signbit(x) ? "-NaN" : "NaN";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  if (x == 0) return std::signbit(x) ? "-0" : "0";
  return fmt::format("{:.9g}", x);
}

void probe_special_values(const Subject& subject, const Options& options, Report& report) {
  const float negative_nan = std::bit_cast<float>(0xffc00001u);
  Values values(subject, options, report);
  values.function(Op::relu, false, {not_a_number, negative_nan, -0.0f, infinity, -infinity});
  values.function(Op::relu, true, {not_a_number, 0.0f, -0.0f});
  values.function(Op::leaky_relu, false, {not_a_number, -0.0f, -infinity});
  for (const Op op : smooth_activations)
    values.function(op, false, {not_a_number, infinity, -infinity, -0.0f});
  values.softmax("softmax with NaN", {1, not_a_number, 2});
  values.softmax("softmax with -inf", {1, -infinity, 1});
  values.softmax("softmax of -inf alone", {-infinity, -infinity});
  values.softmax("softmax with inf", {1, infinity});
  values.softmax("softmax of large numbers", {1000, 1000});
  values.variance();
  probe_special_sums(subject, options, report);
}

}  // namespace ulpfuzz::probe
