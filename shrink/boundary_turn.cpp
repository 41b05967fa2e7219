#include "boundary_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ulpfuzz::shrinking {
namespace {

using Sizes = std::vector<std::uint32_t>;

/// Next ones first, then ever larger steps; powers of two among them, which kernels treat apart.
Sizes upwards(std::uint32_t n, std::uint32_t most) {
  Sizes sizes;
  for (std::uint32_t i = 1; i <= 8; ++i) sizes.push_back(n + i);
  for (std::uint32_t step = 16; step < most; step *= 2) {
    sizes.push_back(n + step);
    if (step > n + 8) sizes.push_back(step);
  }
  std::ranges::sort(sizes);
  std::erase_if(sizes, [most](std::uint32_t s) { return s > most; });
  return sizes;
}

Sizes downwards(std::uint32_t n, std::uint32_t least) {
  Sizes sizes;
  for (std::uint32_t i = 1; i <= 4; ++i) sizes.push_back(n - std::min(n, i));
  for (std::uint32_t step = 8; step < n; step *= 2) sizes.push_back(n - step);
  sizes.push_back(least);
  std::erase_if(sizes, [&](std::uint32_t s) { return s < least || s >= n; });
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// One direction: the last size that fails and the first that passes, or no such.
struct Edge {
  bool found = false;
  std::uint32_t fails = 0, passes = 0;
  std::uint32_t furthest = 0;  ///< tried, with the same answer as the last before it
  bool again = false;          ///< something beyond fails again

  std::uint32_t distance() const { return fails > passes ? fails - passes : passes - fails; }
  /// What to add where the two are not next to each other.
  std::string gap() const { return distance() > 1 ? " (sizes between: not known)" : ""; }
  std::string passing() const { return std::to_string(passes) + gap(); }
};

class Walk {
 public:
  Walk(const Around& around, const Readings& at) : around_(around), at_(at) {}

  Edge go(bool up) {
    Edge edge;
    const std::uint32_t n = around_.n;
    edge.fails = edge.furthest = n;
    for (const std::uint32_t size : up ? upwards(n, around_.most) : downwards(n, around_.least)) {
      const Reading r = at_(size);
      if (r.state == Reading::State::unknown) break;
      edge.furthest = size;
      if (r.passes()) {
        edge.passes = size;
        edge.found = true;
        break;
      }
      edge.fails = size;
    }
    if (edge.found) bisect(edge);
    if (edge.found) look_beyond(edge, up);
    return edge;
  }

 private:
  void bisect(Edge& edge) {
    while (edge.distance() > 1) {
      const auto middle = static_cast<std::uint32_t>((std::uint64_t{edge.fails} + edge.passes) / 2);
      const Reading r = at_(middle);
      if (r.state == Reading::State::unknown) break;
      (r.fails() ? edge.fails : edge.passes) = middle;
    }
    const double over = at_(edge.fails).share, under = at_(edge.passes).share;
    // A share that creeps over its bound is no switch.
    edge.found = over >= 2 * under;
    if (!edge.found) edge.furthest = edge.fails;
  }

  void look_beyond(Edge& edge, bool up) {
    const std::uint32_t p = edge.passes;
    Sizes sizes;
    for (const std::uint32_t i : {1u, 2u, 3u, 4u, 8u, 16u}) {
      if (up || i <= p) sizes.push_back(up ? p + i : p - i);
    }
    if (up) {
      sizes.push_back(2 * p);
      sizes.push_back(4 * p);
    } else {
      sizes.push_back(p / 2);
      sizes.push_back(around_.least);
    }
    for (const std::uint32_t size : sizes) {
      if (size < around_.least || size > around_.most) continue;
      const Reading r = at_(size);
      if (r.state == Reading::State::unknown) continue;
      if (r.fails()) {
        edge.again = true;
        return;
      }
      edge.furthest = up ? std::max(edge.furthest, size) : std::min(edge.furthest, size);
    }
  }

  const Around& around_;
  const Readings& at_;
};

std::string number(const std::string& symbol, std::uint32_t n) {
  return symbol == "batch" ? fmt::format("batch {}", n) : fmt::format("{} = {}", symbol, n);
}

Turn both_sides(const std::string& symbol, const Edge& down, const Edge& up) {
  Turn turn{{}, down.fails, down.passes};
  if (down.fails == up.fails)
    turn.text = fmt::format("fails at {} alone, passes at {} and {} (tried {} to {})",
                            number(symbol, down.fails), down.passing(), up.passing(), down.furthest,
                            up.furthest);
  else
    turn.text = fmt::format("fails from {} to {}, passes at {} and {} (tried {} to {})",
                            number(symbol, down.fails), up.fails, down.passing(), up.passing(),
                            down.furthest, up.furthest);
  return turn;
}

Turn one_side(const std::string& symbol, const Edge& down, const Edge& up) {
  if (down.found)
    return {fmt::format("fails from {} on (tried up to {}), passes at {}",
                        number(symbol, down.fails), up.furthest, down.passing()),
            down.fails, down.passes};
  Turn turn{{}, up.fails, up.passes};
  if (up.fails == 0)
    turn.text = fmt::format("fails at {} alone, passes from {} on (tried up to {})",
                            number(symbol, 0), up.passes, up.furthest);
  else
    turn.text =
        fmt::format("fails up to {} (tried down to {}), passes from {} on (tried up to {}){}",
                    number(symbol, up.fails), down.furthest, up.passes, up.furthest, up.gap());
  return turn;
}

}  // namespace

std::optional<Turn> find_turn(const Around& around, const Readings& at) {
  Walk walk(around, at);
  const Edge down = walk.go(false);
  const Edge up = walk.go(true);
  if (!down.found && !up.found) return std::nullopt;
  const std::string& symbol = around.symbol;
  if (down.again || up.again) {
    if (auto period = find_period(around, at)) return period;
    const Edge& edge = down.found ? down : up;
    return Turn{fmt::format("fails at {}, passes at {}, with no rule for sizes beyond",
                            number(symbol, edge.fails), edge.passes),
                edge.fails, edge.passes};
  }
  if (down.found && up.found) return both_sides(symbol, down, up);
  return one_side(symbol, down, up);
}

}  // namespace ulpfuzz::shrinking
