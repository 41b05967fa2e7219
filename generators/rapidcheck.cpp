#include "ulpfuzz/generators/rapidcheck.hpp"

#include <algorithm>
#include <memory>
#include <ostream>

namespace ulpfuzz::generators {
namespace {

class RandomSource final : public Source {
 public:
  explicit RandomSource(const rc::Random& random) : random_(random) {}
  std::uint64_t next() override { return random_.next(); }

 private:
  rc::Random random_;
};

std::uint64_t scaled(std::uint64_t limit, int size) {
  const auto percent = static_cast<std::uint64_t>(std::clamp(size, 0, 100));
  return std::min(limit, 1 + limit * percent / 100);
}

Limits scaled(Limits limits, int size) {
  const auto small = [size](std::uint32_t n) {
    return static_cast<std::uint32_t>(scaled(n, size));
  };
  limits.depth = small(limits.depth);
  limits.width = small(limits.width);
  limits.batch = small(limits.batch);
  limits.work = std::max<std::uint64_t>(scaled(limits.work, size),
                                        std::min<std::uint64_t>(limits.work, 4096));
  return limits;
}

rc::Seq<Case> simpler_cases(const Case& c) {
  // Edits refer to the case: each step keeps it alive.
  const auto from = std::make_shared<const Case>(c);
  return rc::seq::map(rc::seq::fromContainer(simpler(*from)),
                      [from](const Edit& edit) { return edit.apply(); });
}

}  // namespace

rc::Gen<Case> any_case(const Limits& limits) {
  return [limits](const rc::Random& random, int size) -> rc::Shrinkable<Case> {
    RandomSource source(random);
    return rc::shrinkable::shrinkRecur(draw_case(source, scaled(limits, size)), &simpler_cases);
  };
}

}  // namespace ulpfuzz::generators

namespace ulpfuzz {

void showValue(const Case& c, std::ostream& os) { os << describe(c); }

}  // namespace ulpfuzz
