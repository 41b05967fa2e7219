#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "index_range.hpp"
#include "places.hpp"

namespace ulpfuzz::generators {
namespace {

constexpr std::size_t most_numbers = 256, most_elements = 24;

/// New values of a few elements of a tensor.
struct Change {
  std::uint32_t i, j;
  float at_i, at_j;
};

// Small tensors only: the cost of the whole is worked out for each.
void offer(const Case& c, const Place& place, std::string name, const Change& change,
           Edits& edits) {
  const auto alter = [place, change](Case& d) {
    auto& data = place.in(d).data;
    data[change.i] = change.at_i;
    data[change.j] = change.at_j;
  };
  std::vector<float> data = place.in(c).data;
  const ValuesCost before = values_cost(data);
  data[change.i] = change.at_i;
  data[change.j] = change.at_j;
  if (values_cost(data) < before) offer_values(edits, c, std::move(name), alter);
}

// Of numbers next to each other among those that are not 0: equal, exchanged, or their sum in one.
void neighbours(const Case& c, const Place& place, Edits& edits) {
  const auto& data = place.in(c).data;
  const Elements nonzero = occupied(place.in(c)).nonzero;
  const std::size_t n = std::min(nonzero.list.size(), most_elements);
  const auto text = [&](std::string_view what, std::uint32_t i, std::uint32_t j) {
    return fmt::format("{}, numbers {} and {} {}", place.name(), i, j, what);
  };
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const std::uint32_t i = nonzero.list[k], j = nonzero.list[k + 1];
    const float a = data[i], b = data[j];
    offer(c, place, text("added in the last", i, j), {i, j, 0, a + b}, edits);
    offer(c, place, text("added in the first", i, j), {i, j, a + b, 0}, edits);
    offer(c, place, text("both the first", i, j), {i, j, a, a}, edits);
    offer(c, place, text("both the last", i, j), {i, j, b, b}, edits);
    offer(c, place, text("exchanged", i, j), {i, j, b, a}, edits);
  }
  // To the end of the tensor, which is where an ascending order has it.
  const auto end = static_cast<std::uint32_t>(data.size() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t i = nonzero.list[k];
    if (i != end && !(k + 1 < n && nonzero.list[k + 1] == end))
      offer(c, place, text("exchanged", i, end), {i, end, data[end], data[i]}, edits);
  }
}

bool ordered(float a, float b) { return std::isnan(a) == std::isnan(b) ? a < b : std::isnan(b); }

void sorted(const Case& c, const Place& place, Edits& edits) {
  const auto sort = [](std::vector<float>& data) { std::ranges::stable_sort(data, ordered); };
  std::vector<float> data = place.in(c).data;
  sort(data);
  if (values_cost(data) < values_cost(place.in(c).data)) {
    offer_values(edits, c, place.name() + " in ascending order",
                 [place, sort](Case& d) { sort(place.in(d).data); });
  }
}

void equal_rows(const Case& c, const Place& place, Edits& edits) {
  const Tensor& t = place.in(c);
  const auto copy = [](Tensor& tensor, std::uint32_t from) {
    const auto first = tensor.row(from);
    const std::vector<float> row(first.begin(), first.end());
    for (std::uint32_t r = 0; r < tensor.rows; ++r) std::ranges::copy(row, tensor.row(r).begin());
  };
  for (std::uint32_t from = 0; t.rows > 1 && from < std::min(t.rows, 8u); ++from) {
    Tensor changed = t;
    copy(changed, from);
    if (values_cost(changed.data) >= values_cost(t.data)) continue;
    offer_values(edits, c, fmt::format("{}, all rows as row {}", place.name(), from),
                 [place, copy, from](Case& d) { copy(place.in(d), from); });
  }
}

// Small cases only: the complexity of each is worked out.
template <class Alter>
void offer_if_simpler(const Case& c, std::string name, Alter alter, Edits& edits) {
  Case changed = c;
  alter(changed);
  if (complexity(changed) < complexity(c))
    offer_values(edits, c, std::move(name), std::move(alter));
}

int exponent_of_largest(const Tensor& tensor) {
  float largest = 0;
  for (const float x : tensor.data) {
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  }
  return largest == 0 ? 0 : std::ilogb(largest);
}

void scale(Tensor& tensor, int exponent) {
  for (float& x : tensor.data) x = std::scalbn(x, exponent);
}

void negate(Tensor& tensor) {
  for (float& x : tensor.data) x = -x;
}

ValuesCost cost(const Tensor& a, const Tensor& b) {
  ValuesCost sum = values_cost(a.data);
  const ValuesCost other = values_cost(b.data);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  return sum;
}

// What two factors of a product do to each other: 2^s one way, 2^-s the other; both signs.
void factors(const Case& c, const Place& a, const Place& b, Edits& edits) {
  const ValuesCost before = cost(a.in(c), b.in(c));
  const int ea = exponent_of_largest(a.in(c)), eb = exponent_of_largest(b.in(c));
  std::vector<int> seen{0};
  for (const int s : {ea, -eb, ea / 2, -eb / 2}) {
    Tensor x = a.in(c), y = b.in(c);
    scale(x, -s);
    scale(y, s);
    if (std::ranges::count(seen, s) > 0 || cost(x, y) >= before) continue;
    seen.push_back(s);
    offer_values(edits, c, fmt::format("2^{} from {} to {}", s, a.name(), b.name()),
                 [a, b, s](Case& d) {
                   scale(a.in(d), -s);
                   scale(b.in(d), s);
                 });
  }
  Tensor x = a.in(c), y = b.in(c);
  negate(x);
  negate(y);
  if (cost(x, y) >= before) return;
  offer_values(edits, c, fmt::format("{} and {} negated", a.name(), b.name()), [a, b](Case& d) {
    negate(a.in(d));
    negate(b.in(d));
  });
}

void negated(const Case& c, const Place& place, Edits& edits) {
  Tensor x = place.in(c);
  negate(x);
  if (values_cost(x.data) >= values_cost(place.in(c).data)) return;
  offer_values(edits, c, place.name() + " negated", [place](Case& d) { negate(place.in(d)); });
}

// Of two tensors: an odd number of the first for a number of the second.
void exchanged(const Case& c, const Place& a, const Place& b, Edits& edits) {
  constexpr std::size_t few = 4;
  const Elements odd = occupied(a.in(c)).odd, other = occupied(b.in(c)).nonzero;
  for (std::size_t k = 0; k < std::min(odd.list.size(), few); ++k) {
    for (std::size_t l = 0; l < std::min(other.list.size(), few); ++l) {
      const std::uint32_t i = odd.list[k], j = other.list[l];
      const auto exchange = [a, b, i, j](Case& d) { std::swap(a.in(d).data[i], b.in(d).data[j]); };
      offer_if_simpler(
          c, fmt::format("number {} of {} and number {} of {} exchanged", i, a.name(), j, b.name()),
          exchange, edits);
    }
  }
}

// Rows of the batch in another order, which slices follow.
void ordered_rows(const Case& c, Edits& edits) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  const auto offer_order = [&](std::string name, std::vector<std::uint32_t> rows) {
    offer_if_simpler(
        c, std::move(name), [rows = std::move(rows)](Case& d) { d = select_rows(d, rows); }, edits);
  };
  for (std::uint32_t r = 0, tried = 0; batch > 1 && r < batch && tried < most_elements; ++r) {
    const auto numbers = c.inputs[0].row(r);
    if (std::ranges::all_of(numbers, [](float x) { return x == 0; })) continue;
    ++tried;
    std::vector<std::uint32_t> rows = index_range(0, batch);
    std::rotate(rows.begin() + r, rows.begin() + r + 1, rows.end());
    offer_order(fmt::format("row {} comes last", r), rows);
    rows = index_range(0, batch);
    std::rotate(rows.begin(), rows.begin() + r, rows.begin() + r + 1);
    offer_order(fmt::format("row {} comes first", r), std::move(rows));
  }
}

}  // namespace

void paired_numbers(const Case& c, const Focus&, Edits& edits) {
  auto all = places(c);
  std::erase_if(all, [&](const Place& p) { return p.in(c).data.size() > most_numbers; });
  if (all.size() > 6) all.erase(all.begin() + 6, all.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j != i) factors(c, all[i], all[j], edits);
    }
  }
  std::size_t size = 0;
  for (const Tensor& x : c.inputs) size += x.data.size();
  for (const Tensor& w : c.parameters) size += w.data.size();
  if (size <= most_numbers && c.network.nodes().size() <= 16 && !c.inputs.empty()) {
    ordered_rows(c, edits);
    for (const Place& a : all) {
      for (const Place& b : all) {
        if (&a != &b) exchanged(c, a, b, edits);
      }
    }
  }
  for (const Place& place : all) {
    negated(c, place, edits);
    sorted(c, place, edits);
    equal_rows(c, place, edits);
    neighbours(c, place, edits);
  }
}

}  // namespace ulpfuzz::generators
