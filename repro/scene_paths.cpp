#include "scene_paths.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>

namespace ulpfuzz::repro {
namespace {

std::vector<std::uint32_t> all_rows(const Case& c) {
  std::vector<std::uint32_t> rows(c.batch());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

/// Rows of all slices, in order: those of batch-summed gradients.
std::vector<std::uint32_t> split_rows(const Case& c) {
  std::vector<std::uint32_t> rows;
  for (const Slice& slice : c.split) rows.insert(rows.end(), slice.rows.begin(), slice.rows.end());
  return rows;
}

std::size_t elements(const Case& c, std::size_t wrt) {
  const std::size_t n = c.inputs.size();
  return wrt < n ? c.inputs[wrt].cols : c.parameters[wrt - n].data.size();
}

Path batch_path(const Case& c, const Place& p) {
  return {Route::batch,
          fmt::format("batch of {}", c.batch()),
          {{.network = &c.network,
            .rows = all_rows(c),
            .index = p.row * c.output_width() + p.column,
            .offset = c.layout.batch_offset}}};
}

Path slice_path(const Case& c, const Slice& slice, std::size_t position, const Place& p) {
  return {Route::slice,
          slice_words(slice),
          {{.network = &c.network,
            .rows = slice.rows,
            .padding = slice.padding,
            .index = position * c.output_width() + p.column,
            .offset = c.layout.slice_offset}}};
}

std::vector<Path> slice_paths(const Case& c, const Place& place, std::string_view words) {
  std::vector<Path> found;
  for (const Slice& slice : c.split) {
    if (slice_words(slice) != words) continue;
    for (std::size_t i = 0; i < slice.rows.size(); ++i)
      if (slice.rows[i] == place.row) found.push_back(slice_path(c, slice, i, place));
  }
  return found;
}

/// Schedules as subjects/schedules.hpp lays their results out.
class GradientPaths {
 public:
  GradientPaths(const Case& c, const DerivedNetworks& derived, const Place& place)
      : c_(c), derived_(derived), p_(place) {}

  Path loop() const {
    return {Route::loop,
            "the loop",
            {{.network = &derived_.loop,
              .rows = {p_.row},
              .cotangents = Cotangents::unit,
              .column = p_.column,
              .output = p_.wrt,
              .index = p_.element,
              .offset = c_.layout.slice_offset}}};
  }
  Path reverse() const {
    const std::size_t entry = p_.row * c_.output_width() + p_.column;
    return {Route::reverse,
            fmt::format("vectorized reverse (batch of {})", c_.batch()),
            {{.network = &derived_.reverse,
              .rows = all_rows(c_),
              .cotangents = Cotangents::all,
              .output = p_.wrt,
              .index = entry * elements(c_, p_.wrt) + p_.element,
              .offset = c_.layout.batch_offset}}};
  }
  Path forward() const {
    const std::size_t entry = p_.row * elements(c_, p_.wrt) + p_.element;
    return {Route::forward,
            fmt::format("vectorized forward (batch of {})", c_.batch()),
            {{.network = &derived_.forward[p_.wrt],
              .rows = all_rows(c_),
              .index = entry * c_.output_width() + p_.column,
              .offset = c_.layout.batch_offset}}};
  }
  Path whole() const {
    const std::vector<std::uint32_t> rows = split_rows(c_);
    return {Route::whole, fmt::format("the batch of {}", rows.size()), {summed(rows)}};
  }
  Path micro() const {
    Path path{Route::micro, fmt::format("the sum of {} micro-batches", c_.split.size()), {}};
    for (const Slice& slice : c_.split)
      if (!slice.rows.empty()) path.calls.push_back(summed(slice.rows));
    return path;
  }

 private:
  Call summed(const std::vector<std::uint32_t>& rows) const {
    return {.network = &derived_.summed,
            .rows = rows,
            .cotangents = Cotangents::given,
            .output = p_.wrt,
            .index = p_.element,
            .offset = c_.layout.slice_offset};
  }

  const Case& c_;
  const DerivedNetworks& derived_;
  const Place& p_;
};

std::optional<Path> gradient_path(const GradientPaths& paths, Place::Kind kind,
                                  std::string_view words) {
  if (kind == Place::Kind::summed)
    return words.starts_with("the sum") ? paths.micro() : paths.whole();
  if (words == "the loop") return paths.loop();
  if (words.starts_with("vectorized reverse")) return paths.reverse();
  if (words.starts_with("vectorized forward")) return paths.forward();
  return std::nullopt;
}

}  // namespace

std::vector<Path> readings(const Case& c, const DerivedNetworks* derived, const Place& place,
                           std::string_view words) {
  if (words == "reference") return {Path{Route::exact, "reference", {}}};
  if (place.kind == Place::Kind::output) {
    if (words.starts_with("batch of")) return {batch_path(c, place)};
    return slice_paths(c, place, words);
  }
  if (derived == nullptr) return {};
  const auto path = gradient_path(GradientPaths(c, *derived, place), place.kind, words);
  return path ? std::vector<Path>{*path} : std::vector<Path>{};
}

std::vector<Path> all_calls(const Case& c, const DerivedNetworks* derived) {
  std::vector<Path> paths;
  if (derived == nullptr) {
    paths.push_back(batch_path(c, {}));
    for (const Slice& slice : c.split)
      if (!slice.rows.empty()) paths.push_back(slice_path(c, slice, 0, {}));
    return paths;
  }
  Place place;
  const GradientPaths gradients(c, *derived, place);
  paths.push_back(gradients.reverse());
  for (place.wrt = 0; place.wrt < derived->forward.size(); ++place.wrt)
    if (elements(c, place.wrt) > 0) paths.push_back(gradients.forward());
  place.wrt = 0;
  paths.push_back(gradients.loop());
  if (!split_rows(c).empty() && !c.cotangents.data.empty()) {
    place.wrt = c.inputs.size();
    if (place.wrt < derived->forward.size()) paths.push_back(gradients.whole());
  }
  return paths;
}

}  // namespace ulpfuzz::repro
