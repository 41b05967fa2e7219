#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "signature_inquiry.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// What allocators and debuggers fill fresh memory with, and our own pattern.
constexpr std::array<std::uint32_t, 9> fills{unwritten_bits, 0xcdcdcdcdu, 0xccccccccu,
                                             0xbaadf00du,    0xdeadbeefu, 0xababababu,
                                             0xfeeefeeeu,    0xffffffffu, 0xa5a5a5a5u};
constexpr std::size_t enough = 3;

std::uint32_t bits_of(const FailingSide& side, std::size_t i) {
  return std::bit_cast<std::uint32_t>(side.bits[i]);
}

bool same_bits_throughout(const FailingSide& side) {
  return std::all_of(side.failing.begin(), side.failing.end(), [&](std::size_t i) {
    return bits_of(side, i) == bits_of(side, side.failing.front());
  });
}

std::size_t distinct_references(const Inquiry& q) {
  std::set<float> distinct;
  for (const std::size_t i : q.side().failing) {
    distinct.insert(static_cast<float>(q.baseline().reference[i]));
    if (distinct.size() == enough) break;
  }
  return distinct.size();
}

/// From the first failing element on, all are 0 that should not be, and before it some are right.
bool zeros_at_the_tail(const Inquiry& q) {
  const FailingSide& side = q.side();
  const auto nonzero = [&](std::size_t i) {
    return q.baseline().usable[i] && std::fabs(q.baseline().reference[i]) > 2 * side.tolerance[i];
  };
  std::size_t after = 0;
  std::size_t before = 0;
  for (std::size_t i = 0; i < side.values.size(); ++i) {
    if (!nonzero(i)) continue;
    (i < side.failing.front() ? before : after) += 1;
    if (i >= side.failing.front() && side.values[i] != 0) return false;
  }
  return before > 0 && after >= enough;
}

void name_unwritten(Inquiry& q, const std::string& detail) {
  Explained explained{"unwritten", detail, Reach::blocks, false, nullptr, {}, 0};
  for (const std::size_t i : q.side().failing) explained.predicted.push_back(q.side().values[i]);
  q.add(std::move(explained));
}

std::vector<double> batches(const Evidence& e, char side) {
  std::set<std::size_t> sizes{side == 'a' ? e.batch_a : e.batch_b, e.rows};
  std::vector<double> all;
  for (const std::size_t b : sizes)
    if (b > 1) all.push_back(static_cast<double>(b));
  return all;
}

void try_factor(Inquiry& q, const char* name, double factor) {
  q.test(name, {}, Reach::blocks, [&q, factor](std::size_t i) -> std::optional<Predicted> {
    const Predicted p = q.expected(i);
    const double value = factor * p.value;
    // The scaling rounds once more.
    return Predicted{value,
                     std::max(1.0, std::fabs(factor)) * p.tolerance + std::fabs(value) * 0x1p-23};
  });
}

/// Of a failing row: another one whose values it holds; nothing if there is none.
std::optional<std::size_t> held_row(const Inquiry& q, std::size_t row) {
  const Layout& layout = q.layout();
  const FailingSide& side = q.side();
  const std::size_t size = layout.row_size();
  const auto first = std::lower_bound(side.failing.begin(), side.failing.end(), row * size);
  const auto last = std::lower_bound(first, side.failing.end(), (row + 1) * size);
  const auto holds = [&](std::size_t other) {
    return std::all_of(first, last, [&](std::size_t i) {
      const std::size_t j = other * size + i % size;
      return q.baseline().usable[j] &&
             std::fabs(side.values[i] - q.baseline().reference[j]) <= side.tolerance[j];
    });
  };
  for (std::size_t step = 1; step < layout.rows; ++step) {
    if (step <= row && holds(row - step)) return row - step;
    if (row + step < layout.rows && holds(row + step)) return row + step;
  }
  return std::nullopt;
}

bool try_row_map(Inquiry& q, const char* name, const std::string& detail,
                 const std::vector<std::size_t>& rows, const std::vector<std::size_t>& held) {
  const std::size_t size = q.layout().row_size();
  return q.test(
      name, detail, Reach::rows, [&q, rows, held, size](std::size_t i) -> std::optional<Predicted> {
        const auto at = std::lower_bound(rows.begin(), rows.end(), i / size) - rows.begin();
        const std::size_t j = held[static_cast<std::size_t>(at)] * size + i % size;
        if (!q.baseline().usable[j]) return std::nullopt;
        return q.expected(j);
      });
}

/// Are the rows from n on that do not fail the same as their counterparts below n?
bool others_alias_too(const Inquiry& q, const std::vector<std::size_t>& rows, std::size_t n) {
  const std::size_t size = q.layout().row_size();
  for (std::size_t row = n; row < q.layout().rows; ++row) {
    if (std::binary_search(rows.begin(), rows.end(), row)) continue;
    for (std::size_t i = row * size; i < (row + 1) * size; ++i) {
      const std::size_t j = row % n * size + i % size;
      const double apart = std::fabs(q.side().values[i] - q.baseline().reference[j]);
      if (q.baseline().usable[j] && apart > 2 * q.side().tolerance[j]) return false;
    }
  }
  return true;
}

}  // namespace

void try_factors(Inquiry& q) {
  try_factor(q, "zero", 0);
  try_factor(q, "doubled", 2);
  try_factor(q, "halved", 0.5);
  try_factor(q, "sign flipped", -1);
  for (const double b : batches(q.evidence(), q.side().name)) {
    try_factor(q, "times batch", b);
    try_factor(q, "divided by batch", 1 / b);
  }
}

void try_unwritten(Inquiry& q) {
  const FailingSide& side = q.side();
  if (side.bits.empty()) return;
  if (same_bits_throughout(side)) {
    const std::uint32_t bits = bits_of(side, side.failing.front());
    const bool fill = std::find(fills.begin(), fills.end(), bits) != fills.end();
    const bool garbage = bits << 1 != 0 && distinct_references(q) >= enough;
    const bool number = std::isfinite(side.values[side.failing.front()]);
    if (fill || (garbage && number)) name_unwritten(q, fmt::format("all 0x{:x}", bits));
  }
  if (zeros_at_the_tail(q)) name_unwritten(q, "zeros at the tail");
}

void try_other_rows(Inquiry& q) {
  const std::vector<std::size_t> rows = q.failing_rows();
  if (q.layout().rows < 2) return;
  // The first rows may happen to be as they should be, so n need not be the first that fails.
  bool aliased = false;
  for (std::size_t n = rows.front(); n >= 2 && !aliased; --n) {
    if (!others_alias_too(q, rows, n)) continue;
    std::vector<std::size_t> held;
    for (const std::size_t row : rows) held.push_back(row % n);
    aliased = try_row_map(q, "row mod n", fmt::format("row b holds row b mod {}", n), rows, held);
  }
  // With one row more than n both are the same.
  if (aliased && rows.size() > 1) return;
  std::vector<std::size_t> held;
  for (const std::size_t row : rows) {
    const auto other = held_row(q, row);
    if (!other) return;
    held.push_back(*other);
  }
  const bool one =
      std::adjacent_find(held.begin(), held.end(), std::not_equal_to<>()) == held.end();
  const std::string detail = fmt::format("row {} holds row {}", rows.front(), held.front());
  if (try_row_map(q, "row leak", detail, rows, held) && !one) q.was_chosen_by_row();
}

void try_neighbours(Inquiry& q) {
  const Layout& layout = q.layout();
  if (layout.row_size() < 2) return;
  std::set<std::size_t> steps{1};
  if (layout.outputs > 1) steps.insert(layout.elements);
  for (const Layout::Block& block : layout.blocks)
    if (block.shape.rows > 1) steps.insert(block.shape.cols);
  for (const std::size_t step : steps) {
    for (const bool next : {true, false}) {
      q.test("neighbour element", fmt::format("{} {}", step, next ? "further" : "before"),
             Reach::blocks, [&q, step, next](std::size_t i) -> std::optional<Predicted> {
               if (!next && i < step) return std::nullopt;
               const std::size_t j = next ? i + step : i - step;
               if (j >= q.baseline().size() || !q.baseline().usable[j]) return std::nullopt;
               return q.expected(j);
             });
    }
  }
}

}  // namespace ulpfuzz::diagnosis
