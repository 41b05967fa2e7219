#include "html_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

using nlohmann::json;

json share_json(double value) { return endless(value) ? json("inf") : json(value); }

using Shares = std::map<std::string, std::map<std::string, double>>;

void raise(Shares& largest, const Shares& shares) {
  for (const auto& [property, by_tier] : shares)
    for (const auto& [tier, value] : by_tier) {
      const auto [at, fresh] = largest[property].try_emplace(tier, value);
      if (!fresh) at->second = std::max(at->second, value);
    }
}

/// A point, and what is needed to join it with others.
struct Stretch {
  Point point;
  double gained = 0, counted = 0;  ///< cases, in so many seconds
};

/// A campaign begins with a line that shows nothing yet, from which the next one counts: no point,
/// but a gap, as where nothing ends any more.
bool is_beginning(const Sample& s, const Sample* before) {
  return (before == nullptr || before->phase != s.phase || before->line.cases == s.line.cases) &&
         std::all_of(s.line.share.begin(), s.line.share.end(),
                     [](const auto& property) { return property.second.empty(); });
}

std::vector<Stretch> stretches_of(const std::vector<Sample>& samples) {
  std::vector<Stretch> all;
  const Sample* before = nullptr;
  for (const Sample& s : samples) {
    const double from = before == nullptr ? 0 : before->line.seconds;
    Stretch stretch{{from, s.line.seconds, s.phase, std::nullopt, s.line.share}};
    // A phase counts its cases from 0.
    if (before && before->phase == s.phase && s.line.seconds > from &&
        s.line.cases >= before->line.cases) {
      stretch.gained = static_cast<double>(s.line.cases - before->line.cases);
      stretch.counted = s.line.seconds - from;
    }
    if (!is_beginning(s, before)) all.push_back(std::move(stretch));
    before = &s;
  }
  return all;
}

void join(Stretch& into, const Stretch& later) {
  into.gained += later.gained;
  into.counted += later.counted;
  into.point.seconds = later.point.seconds;
  into.point.phase = later.point.phase;
  raise(into.point.share, later.point.share);
}

json pairs_json(const Night& night) {
  json list = json::array();
  for (const PairCounts& p : night.pairs)
    list.push_back({{"property", p.property}, {"subject", p.subject}, {"bins", p.shares}});
  return list;
}

/// Stretches of points of one phase: {name, from, to}, in seconds.
json phases_json(const std::vector<Point>& all) {
  json list = json::array();
  for (const Point& p : all) {
    if (list.empty() || list.back()["name"] != p.phase)
      list.push_back({{"name", p.phase}, {"from", p.from}});
    list.back()["to"] = p.seconds;
  }
  return list;
}

json time_json(const Night& night) {
  const std::vector<Point> all = points(night);
  json from = json::array(), seconds = json::array(), rate = json::array(), shares = json::object();
  for (const Point& p : all)
    for (const auto& [property, by_tier] : p.share)
      for (const auto& [tier, value] : by_tier) shares[property][tier] = json::array();
  for (const Point& p : all) {
    from.push_back(p.from);
    seconds.push_back(p.seconds);
    rate.push_back(p.rate ? json(*p.rate) : json());
    for (auto& [property, by_tier] : shares.items())
      for (auto& [tier, list] : by_tier.items()) {
        const auto of = p.share.find(property);
        const bool there = of != p.share.end() && of->second.contains(tier);
        list.push_back(there ? share_json(of->second.at(tier)) : json());
      }
  }
  return {{"from", from},
          {"seconds", seconds},
          {"rate", rate},
          {"phases", phases_json(all)},
          {"shares", shares}};
}

json trend_json(const Night& night) {
  json ids = json::array(), dates = json::array(), rate = json::array(), share = json::array(),
       stability = json::array();
  json states = json::object();
  for (const EarlierNight& n : shown_nights(night)) {
    ids.push_back(n.id);
    dates.push_back(n.date);
    rate.push_back(n.cases_per_second);
    share.push_back(share_json(n.share_max));
    stability.push_back(n.stability);
    for (std::size_t i = 0; i < bucket_states; ++i) {
      const std::string word(name(static_cast<BucketState>(i)));
      const auto found = n.buckets.find(word);
      states[word].push_back(found == n.buckets.end() ? 0 : found->second);
    }
  }
  return {{"nights", ids}, {"dates", dates}, {"buckets", states},
          {"rate", rate},  {"share", share}, {"stability", stability}};
}

}  // namespace

std::vector<Point> points(const Night& night, std::size_t most) {
  std::vector<Stretch> stretches = stretches_of(night.over_time);
  const std::size_t step = (stretches.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<Point> all;
  for (std::size_t i = 0; i < stretches.size();) {
    const std::size_t end = std::min(i + step, stretches.size());
    Stretch& whole = stretches[i];
    for (++i; i < end; ++i) join(whole, stretches[i]);
    if (whole.counted > 0) whole.point.rate = whole.gained / whole.counted;
    all.push_back(std::move(whole.point));
  }
  return all;
}

std::vector<EarlierNight> shown_nights(const Night& night, std::size_t most) {
  const std::size_t from = night.trend.size() - std::min(night.trend.size(), most - 1);
  std::vector<EarlierNight> nights(night.trend.begin() + static_cast<std::ptrdiff_t>(from),
                                   night.trend.end());
  nights.push_back(as_earlier(night));
  return nights;
}

json chart_data(const Night& night) {
  json bins = json::array();
  for (std::size_t i = 0; i < share_bins; ++i) bins.push_back(share_bin_name(i));
  return {{"bins", bins},
          {"pairs", pairs_json(night)},
          {"time", time_json(night)},
          {"trend", trend_json(night)}};
}

}  // namespace ulpfuzz::report::page
