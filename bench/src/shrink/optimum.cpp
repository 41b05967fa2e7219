#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>

#include "shrink/planted.hpp"

namespace ulpfuzz::bench {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint32_t attempt) : random_(attempt + 1), kind_(attempt % kinds) {}

  void fill(Tensor& t) {
    for (float& x : t.data) x = draw(kind_ == kinds - 1 ? random_() % (kinds - 1) : kind_);
  }

 private:
  static constexpr std::uint32_t kinds = 7;

  float draw(std::uint64_t kind) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr std::array<float, 8> special{0, -0.0f, 1, -1, inf, -inf, NAN, 0x1p-149f};
    std::normal_distribution<float> normal;
    switch (kind) {
      case 0:
      case 1:
        return normal(random_);
      case 2:
        return static_cast<float>(static_cast<int>(random_() % 9) - 4);
      case 3:
        return 0x1p-127f * normal(random_);
      case 4:
        return 100 * normal(random_);
      default:
        return special[random_() % special.size()];
    }
  }

  std::minstd_rand random_;
  std::uint32_t kind_;
};

}  // namespace

Judge judge_of(const Planted& planted, const Subject& subject) {
  const auto context = std::make_shared<CheckContext>();
  return [&planted, &subject, context](const Case& c) {
    return planted.property->check(c, subject, planted.check_options(), *context);
  };
}

generators::Limits limits_of(const Planted& planted) {
  return planted.property->needs_gradient ? generators::gradient_limits() : generators::Limits{};
}

void draw_numbers(Case& c, std::uint32_t attempt) {
  Numbers numbers(attempt);
  for (Tensor& t : c.parameters) numbers.fill(t);
  for (Tensor& t : c.inputs) numbers.fill(t);
  numbers.fill(c.cotangents);
}

Shrunk optimum(const Planted& planted, const Subject& subject) {
  const Judge judge = judge_of(planted, subject);
  Shrunk found{planted.skeleton(), {}};
  for (std::uint32_t attempt = 0; attempt < 20000; ++attempt) {
    draw_numbers(found.value, attempt);
    found.verdict = judge(found.value);
    if (found.verdict.failed() && found.verdict.failure == planted.failure) return found;
  }
  throw std::logic_error(fmt::format("{}: the case said to be simplest, {}, never fails",
                                     planted.name, describe(found.value)));
}

std::size_t structural_components() {
  const auto names = generators::complexity_names();
  return static_cast<std::size_t>(
      std::ranges::find_if(names, [](auto n) { return n.starts_with("numbers"); }) - names.begin());
}

std::vector<std::uint64_t> structure(const Case& c) {
  std::vector<std::uint64_t> all = generators::complexity(c);
  all.resize(structural_components());
  return all;
}

}  // namespace ulpfuzz::bench
