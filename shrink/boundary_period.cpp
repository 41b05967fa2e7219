#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "boundary_turn.hpp"
#include "boundary_words.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr std::size_t most_examples = 4;

class Period {
 public:
  Period(std::uint32_t n, std::uint32_t first, std::uint32_t last, const Readings& at)
      : n_(n), first_(first), at_(at) {
    for (std::uint32_t size = first; size <= last; ++size) seen_.push_back(at(size).state);
  }

  /// Finds the shortest period that holds from some size on for at least two turns.
  bool fits(std::uint32_t most) {
    for (period_ = 2; period_ <= most; ++period_) {
      for (from_ = first_; from_ <= n_ && from_ + 2 * period_ <= end(); ++from_) {
        if (holds()) return holds_further_out();
      }
    }
    return false;
  }

  Turn turn(const std::string& symbol) const {
    Turn turn;
    turn.fails = n_;
    std::vector<std::uint32_t> fails, passes;
    for (std::uint32_t s = from_; s < end(); ++s) {
      if (state(s) == Reading::State::fails) fails.push_back(s);
      if (state(s) == Reading::State::passes) passes.push_back(s);
    }
    turn.passes = *std::ranges::min_element(
        passes, {}, [this](std::uint32_t s) { return s > n_ ? s - n_ : n_ - s; });
    const bool rather_passes =
        residues(Reading::State::passes).size() < residues(Reading::State::fails).size();
    const std::string from = from_ > first_ ? fmt::format(" from {} on", from_) : "";
    if (rather_passes)
      turn.text = fmt::format("passes where {} mod {} is {}{} ({}), fails at {}", symbol, period_,
                              words(residues(Reading::State::passes)), from, examples(passes),
                              examples(fails));
    else
      turn.text = fmt::format("fails where {} mod {} is {}{} ({}), passes at {}", symbol, period_,
                              words(residues(Reading::State::fails)), from, examples(fails),
                              examples(passes));
    return turn;
  }

 private:
  std::uint32_t end() const { return first_ + static_cast<std::uint32_t>(seen_.size()); }
  Reading::State state(std::uint32_t size) const { return seen_[size - first_]; }

  /// Same answer at the same residue, and not the same everywhere.
  bool holds() const {
    using State = Reading::State;
    std::vector<State> of(period_, State::unknown);
    for (std::uint32_t s = from_; s < end(); ++s) {
      if (state(s) == State::unknown) continue;
      State& known = of[s % period_];
      if (known == State::unknown) known = state(s);
      if (known != state(s)) return false;
    }
    return std::ranges::count(of, State::unknown) == 0 &&
           std::ranges::count(of, State::fails) != static_cast<std::ptrdiff_t>(period_);
  }

  // What a window shows by chance breaks down outside of it.
  bool holds_further_out() const {
    const auto failing = residues(Reading::State::fails);
    const auto passing = residues(Reading::State::passes);
    for (const std::uint32_t turns : {3u, 5u, 11u}) {
      const std::uint32_t base = n_ - n_ % period_ + turns * period_;
      for (std::size_t i = 0; i < std::min(failing.size(), most_examples); ++i) {
        if (at_(base + failing[i]).passes()) return false;
      }
      if (at_(base + passing[turns % passing.size()]).fails()) return false;
    }
    return true;
  }

  std::vector<std::uint32_t> residues(Reading::State wanted) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t s = from_; s < std::min(end(), from_ + 2 * period_); ++s) {
      if (state(s) == wanted) result.push_back(s % period_);
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  static std::string words(const std::vector<std::uint32_t>& r) {
    const std::string last = std::to_string(r.back());
    return r.size() == 1 ? last : joined({r.data(), r.size() - 1}, r.size()) + " or " + last;
  }

  static std::string examples(const std::vector<std::uint32_t>& sizes) {
    return joined(sizes, most_examples);
  }

  std::uint32_t n_, first_;
  const Readings& at_;
  std::vector<Reading::State> seen_;
  std::uint32_t period_ = 2, from_ = 0;
};

}  // namespace

std::optional<Turn> find_period(const Around& around, const Readings& at) {
  const std::uint32_t n = around.n;
  const std::uint32_t first = n > around.least + 4 ? n - 4 : around.least;
  for (const std::uint32_t most : {4u, 8u, 16u}) {
    Period period(n, first, n + 2 * most, at);
    if (period.fits(most)) return period.turn(around.symbol);
  }
  return std::nullopt;
}

}  // namespace ulpfuzz::shrinking
