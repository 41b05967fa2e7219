#include <cmath>
#include <memory>
#include <random>

#include "emulated/convert.hpp"
#include "emulation/jobs.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"

namespace ulpfuzz::bench {
namespace {

struct Arrays {
  std::vector<float> x, y;
};

std::shared_ptr<Arrays> arrays(std::size_t elements, std::size_t pieces) {
  const auto a = std::make_shared<Arrays>();
  a->x.resize(elements);
  a->y.resize(elements * pieces);
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal(0, 2);
  for (float& v : a->x) v = normal(random);
  return a;
}

Job conversion(const std::string& name, std::size_t elements, const kernels::Conversion& c) {
  const auto a = arrays(elements, 3);
  return {name, "copy", static_cast<double>(elements),
          [a, c] { emulated::convert(a->x.data(), a->x.size(), c, a->y.data()); }};
}

template <class F>
Job function(const std::string& name, const std::string& baseline, std::size_t elements,
             const F& f) {
  const auto a = arrays(elements, 1);
  return {name, baseline, static_cast<double>(elements), [a, f] {
            for (std::size_t i = 0; i < a->x.size(); ++i) a->y[i] = f(a->x[i]);
          }};
}

}  // namespace

std::vector<Job> conversion_jobs(std::size_t elements) {
  std::vector<Job> jobs{conversion("copy", elements, {})};
  for (const Format format : {Format::tf32, Format::bf16, Format::fp16})
    for (const auto& [name, rounding] : {std::pair{"to even", Rounding::nearest_even},
                                         {"to away", Rounding::nearest_away},
                                         {"to zero", Rounding::toward_zero}})
      jobs.push_back(conversion(std::string(traits(format).name) + ", " + name, elements,
                                {.format = format, .rounding = rounding}));
  jobs.push_back(conversion("bf16 in 3 pieces", elements, {.format = Format::bf16, .pieces = 3}));
  jobs.push_back(conversion("tf32 in 2 pieces", elements, {.format = Format::tf32, .pieces = 2}));
  jobs.push_back(conversion("subnormals to zero", elements, {.flushes = true}));
  return jobs;
}

std::vector<Job> function_jobs(std::size_t elements) {
  const auto exact_exp = [](float x) { return std::exp(x); };
  const auto exact_tanh = [](float x) { return std::tanh(x); };
  const auto fast_exp = [](float x) { return kernels::fast_exp(x); };
  const auto fast_tanh = [](float x) { return kernels::fast_tanh(x); };
  return {function("exp", "exp", elements, exact_exp),
          function("fast_exp", "exp", elements, fast_exp),
          function("tanh", "tanh", elements, exact_tanh),
          function("fast_tanh", "tanh", elements, fast_tanh)};
}

}  // namespace ulpfuzz::bench
