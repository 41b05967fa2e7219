#include "boundary_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "boundary_parts.hpp"
#include "ulpfuzz/generators/dimensions.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr std::uint32_t most_rows = 1u << 17;

/// Outputs of a whole batch and of its rows alone, as plain floats.
struct Outputs {
  std::vector<float> together, alone;
  std::size_t width = 0;
  std::span<const float> row(const std::vector<float>& of, std::size_t r) const {
    return {of.data() + r * width, width};
  }
  /// Largest finite magnitude of the rows alone.
  double scale() const {
    double largest = 0;
    for (const float v : alone) {
      if (std::isfinite(v)) largest = std::max(largest, std::fabs(double{v}));
    }
    return largest;
  }
};

std::string key(std::span<const float> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}

/// Largest difference in units of `scale`; NaN against a number is infinite.
double distance(std::span<const float> a, std::span<const float> b, double scale) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(float)) == 0) continue;
    const double d = std::fabs(double{a[i]} - b[i]);
    largest = std::max(largest, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
  }
  return largest / scale;
}

/// What rounding makes of a row's result is far less, what another row's is mostly more; where one
/// is, others may be nearer by chance.
constexpr double far = 0x1p-7, near = 0x1p-14;

RowFault compare(const Outputs& out) {
  const std::size_t n = out.together.size() / out.width;
  RowFault fault{std::vector<bool>(n, false), std::vector<std::uint32_t>(n, RowFault::unknown)};
  const double scale = out.scale();
  if (scale == 0) return fault;
  std::unordered_map<std::string, std::uint32_t> owner;
  for (std::uint32_t r = 0; r < n; ++r) {
    const auto [place, first] = owner.emplace(key(out.row(out.alone, r)), r);
    if (!first) place->second = RowFault::unknown;  // as good as any other: tells nothing
  }
  std::vector<double> off(n);
  for (std::uint32_t r = 0; r < n; ++r)
    off[r] = distance(out.row(out.together, r), out.row(out.alone, r), scale);
  const bool any = std::ranges::any_of(off, [](double d) { return d > far; });
  for (std::uint32_t r = 0; r < n; ++r) {
    const auto row = out.row(out.together, r);
    fault.wrong[r] = any && off[r] > near;
    const auto found = owner.find(key(row));
    if (found == owner.end() || found->second == r) continue;
    fault.instead[r] = found->second;
    fault.wrong[r] = fault.wrong[r] || found->second != RowFault::unknown;
  }
  return fault;
}

/// Other orders of summation do not give the same bits: the nearest row it is then, if only one is
/// near.
void find_near(const Outputs& out, RowFault& fault) {
  const double scale = out.scale();
  constexpr std::uint32_t most = 4096;
  if (fault.batch() > most) return;
  for (std::uint32_t r = 0; r < fault.batch(); ++r) {
    if (!fault.wrong[r] || fault.instead[r] != RowFault::unknown) continue;
    std::size_t close = 0;
    std::uint32_t whose = RowFault::unknown;
    for (std::uint32_t other = 0; other < fault.batch(); ++other) {
      const double d = distance(out.row(out.together, r), out.row(out.alone, other), scale);
      close += d < far / 4 ? 1 : 0;
      if (d < 0x1p-18) whose = other;
    }
    if (close == 1) fault.instead[r] = whose;
  }
}

class Observer {
 public:
  Observer(Asker& asker, const Subject& subject) : asker_(asker), subject_(subject) {}

  /// Batches in which some row is wrong.
  std::vector<RowFault> observe() {
    const Case& c = asker_.failing().value;
    const auto n = static_cast<std::uint32_t>(c.batch());
    std::vector<RowFault> seen;
    for (const std::uint32_t batch : {std::max(n + n / 2 + 9, 41u), std::max(n + n / 2 + 16, 52u)})
      look(batch, generators::Growth::Values::all_normal, seen);
    if (seen.empty()) look(n, generators::Growth::Values::all_normal, seen);
    if (seen.empty()) look(n, generators::Growth::Values::varied, seen);
    return seen;
  }

 private:
  void look(std::uint32_t batch, generators::Growth::Values values, std::vector<RowFault>& seen) {
    generators::Dimension dimension;
    dimension.size = static_cast<std::uint32_t>(asker_.failing().value.batch());
    const auto c =
        generators::resized(asker_.failing().value, dimension, batch, {values, true, batch});
    if (!c || batch > most_rows || !asker_.affordable(*c) || c->output_width() == 0) return;
    Outputs out;
    out.width = c->output_width();
    if (!evaluate(*c, out)) return;
    RowFault fault = compare(out);
    find_near(out, fault);
    if (std::ranges::count(fault.wrong, true) != 0) seen.push_back(std::move(fault));
  }

  bool evaluate(const Case& c, Outputs& out) {
    try {
      out.together = forward_batched(caller_, subject_, c);
      Slice one;
      for (std::uint32_t r = 0; r < c.batch(); ++r) {
        if (asker_.spent()) return false;
        one.rows = {r};
        const std::vector<float> y = forward_slice(caller_, subject_, c, one);
        out.alone.insert(out.alone.end(), y.begin(), y.end());
      }
      return true;
    } catch (const std::exception&) {
      return false;  // a failure of another kind
    }
  }

  Asker& asker_;
  const Subject& subject_;
  Caller caller_;
};

/// Rows that a batch leaves unwritten, asked of the subject itself: a guarded call says no more
/// than that there are some.
RowFault unwritten_in(const Case& c, const Subject& subject) {
  constexpr std::size_t zone = 1024;
  const std::size_t width = c.output_width(), count = c.batch() * width;
  std::vector<float> memory(count + 2 * zone, std::bit_cast<float>(unwritten_bits));
  float* y = memory.data() + zone;
  std::vector<const float*> x;
  for (const Tensor& t : c.inputs) x.push_back(t.data.data());
  RowFault fault;
  try {
    subject.evaluate({c.network, c.parameters, c.batch(), x, {&y, 1}});
  } catch (const std::exception&) {
    return fault;
  }
  fault.wrong.assign(c.batch(), false);
  fault.instead.assign(c.batch(), RowFault::unknown);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::bit_cast<std::uint32_t>(y[i]) == unwritten_bits) fault.wrong[i / width] = true;
  }
  return fault;
}

void add(const std::vector<RowFault>& seen, std::string text, std::vector<Boundary>& found) {
  const RowFault& f = seen.front();
  std::string batches = fmt::format("{}", f.batch());
  for (std::size_t i = 1; i < seen.size(); ++i) batches += fmt::format(" and {}", seen[i].batch());
  text += fmt::format(" (batch{} of {})", seen.size() > 1 ? "es" : "", batches);
  const auto wrong = std::ranges::find(f.wrong, true) - f.wrong.begin();
  const bool before = wrong > 0;
  const auto right = before ? wrong - 1 : std::ranges::find(f.wrong, false) - f.wrong.begin();
  const bool none = right == static_cast<std::ptrdiff_t>(f.batch());
  found.push_back({"rows", std::move(text), fmt::format("row {}", wrong),
                   none ? std::string() : fmt::format("row {}", right)});
}

void unwritten_rows(Asker& asker, const Subject& subject, std::vector<Boundary>& found) {
  const Case& c = asker.failing().value;
  generators::Dimension batch;
  batch.size = static_cast<std::uint32_t>(c.batch());
  std::vector<RowFault> seen;
  for (const std::uint32_t n : {batch.size, batch.size + batch.size / 2 + 9}) {
    const auto other = generators::resized(c, batch, n);
    if (!other || !asker.affordable(*other)) continue;
    RowFault fault = unwritten_in(*other, subject);
    if (std::ranges::count(fault.wrong, true) != 0) seen.push_back(std::move(fault));
  }
  if (!seen.empty()) add(seen, wrong_rows(seen) + " left unwritten", found);
}

}  // namespace

void row_boundaries(Asker& asker, const Subject& subject, std::vector<Boundary>& found) {
  if (subject.broken() || asker.spent()) return;
  switch (asker.failing().verdict.failure) {
    case FailureClass::unwritten:
      return unwritten_rows(asker, subject, found);
    case FailureClass::beyond_bound:
    case FailureClass::nonfinite_mismatch:
    case FailureClass::not_bitwise:
      break;
    default:
      return;  // not for a process that has more to do
  }
  const std::vector<RowFault> seen = Observer(asker, subject).observe();
  if (seen.empty()) return;
  if (const auto rule = row_rule(seen)) return add(seen, *rule, found);
  const auto all_wrong = [](const RowFault& f) { return std::ranges::count(f.wrong, false) == 0; };
  if (std::ranges::none_of(seen, all_wrong))
    add(seen, wrong_rows(seen) + " wrong, with the result of no other row", found);
}

}  // namespace ulpfuzz::shrinking
