#include "batch_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "random.hpp"
#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr std::size_t readable = 30;  ///< largest batch that serves as an example

std::vector<std::size_t> distinct(const std::vector<std::size_t>& ids) {
  std::vector<std::size_t> first;
  for (const std::size_t id : ids)
    if (std::find(first.begin(), first.end(), id) == first.end()) first.push_back(id);
  return first;
}

}  // namespace

EqualRows::EqualRows(const Subject& subject, std::size_t k, std::uint64_t seed)
    : subject_(subject) {
  const auto inner = static_cast<std::uint32_t>(k);
  const NodeId x = network_.input(inner);
  const NodeId w = network_.parameter(width, inner);
  network_.output(network_.linear(x, w, network_.parameter(1, width)));
  Random random(seed);
  for (Trial& t : trials_) {
    t.row.resize(k);
    t.parameters = {Tensor(width, inner), Tensor(1, width)};
    for (float& v : t.row) v = random.number();
    for (Tensor& p : t.parameters)
      for (float& v : p.data) v = random.number();
  }
}

std::vector<Bits> EqualRows::rows(std::size_t batch) {
  std::vector<Bits> all(batch);
  for (const Trial& t : trials_) {
    input_.clear();
    for (std::size_t r = 0; r < batch; ++r) input_.insert(input_.end(), t.row.begin(), t.row.end());
    const float* pointer = input_.data();
    const Outputs out = caller_.run(subject_, network_, t.parameters, batch, {&pointer, 1});
    for (std::size_t r = 0; r < batch; ++r)
      for (std::size_t j = 0; j < width; ++j)
        all[r].push_back(std::bit_cast<std::uint32_t>(out.values[0][r * width + j]));
  }
  return all;
}

void Survey::add(std::size_t batch, const std::vector<Bits>& rows) {
  std::vector<std::size_t> ids;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    auto at =
        std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return w.bits == rows[r]; });
    if (at == ways.end()) at = ways.insert(ways.end(), Way{rows[r], batch, r, "", {}, true});
    ids.push_back(static_cast<std::size_t>(at - ways.begin()));
  }
  if (way_of_row.size() + 1 == batch) way_of_row.push_back(ids);
  Class& c = classes[distinct(ids)];
  c.sizes.push_back(batch);
  c.way_of_row.push_back(std::move(ids));
}

std::string rows_text(const Class& c, std::size_t position) {
  if (c.way_of_row.front().empty()) return "";
  const std::vector<std::size_t> ids = distinct(c.way_of_row.front());
  if (ids.size() == 1) return "all rows";
  if (ids.size() == 2) {
    for (const std::size_t tile : {2, 4, 8, 16, 32, 64}) {
      const bool fits = std::all_of(c.way_of_row.begin(), c.way_of_row.end(), [&](const auto& w) {
        const std::size_t tail = w.size() % tile;
        for (std::size_t r = 0; r < w.size(); ++r)
          if (w[r] != (r < w.size() - tail ? ids[0] : ids[1])) return false;
        return tail > 0;
      });
      if (fits)
        return position == 0 ? fmt::format("all but the last (batch mod {}) rows", tile)
                             : fmt::format("the last (batch mod {}) rows", tile);
    }
  }
  const auto rows_in = [&](const std::vector<std::size_t>& example) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < example.size(); ++r)
      if (example[r] == ids[position]) rows.push_back(r);
    return fmt::format("in batch {} row{} {}", example.size(), rows.size() == 1 ? "" : "s",
                       compact(rows));
  };
  const auto larger = std::find_if(c.way_of_row.rbegin(), c.way_of_row.rend(),
                                   [](const auto& w) { return w.size() <= readable; });
  const std::string first = rows_in(c.way_of_row.front());
  if (larger == c.way_of_row.rend() || larger->size() == c.way_of_row.front().size()) return first;
  return fmt::format("{}, {}", first, rows_in(*larger));
}

std::size_t tile_of(const Survey& survey) {
  const auto& all = survey.way_of_row;
  for (std::size_t tile = 2; 3 * tile <= all.size(); ++tile) {
    const auto& first = all[tile - 1];
    bool fits = true;
    for (std::size_t batch = tile; batch <= all.size() && fits; ++batch) {
      const auto& rows = all[batch - 1];
      fits = std::equal(first.begin(), first.end(), rows.begin());
      if (batch < 2 * tile || !fits) continue;
      const auto& rest = all[batch - tile - 1];
      fits = std::equal(rest.begin(), rest.end(), rows.begin() + static_cast<std::ptrdiff_t>(tile));
    }
    if (fits) return tile;
  }
  return 0;
}

}  // namespace ulpfuzz::probe
