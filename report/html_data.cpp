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

void raise(Point& point, const StatisticsLine& line) {
  for (const auto& [property, by_tier] : line.share)
    for (const auto& [tier, value] : by_tier) {
      auto [at, fresh] = point.share[property].try_emplace(tier, value);
      if (!fresh) at->second = std::max(at->second, value);
    }
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
  double before = 0;
  for (const Point& p : all) {
    if (list.empty() || list.back()["name"] != p.phase)
      list.push_back({{"name", p.phase}, {"from", before}});
    list.back()["to"] = before = p.seconds;
  }
  return list;
}

json time_json(const Night& night) {
  const std::vector<Point> all = points(night);
  json seconds = json::array(), rate = json::array(), shares = json::object();
  for (const Point& p : all)
    for (const auto& [property, by_tier] : p.share)
      for (const auto& [tier, value] : by_tier) shares[property][tier] = json::array();
  for (const Point& p : all) {
    seconds.push_back(p.seconds);
    rate.push_back(p.rate ? json(*p.rate) : json());
    for (auto& [property, by_tier] : shares.items())
      for (auto& [tier, list] : by_tier.items()) {
        const auto of = p.share.find(property);
        const bool there = of != p.share.end() && of->second.contains(tier);
        list.push_back(there ? share_json(of->second.at(tier)) : json());
      }
  }
  return {{"seconds", seconds}, {"rate", rate}, {"phases", phases_json(all)}, {"shares", shares}};
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

EarlierNight as_earlier(const Night& night) {
  EarlierNight n{
      night.id,        night.date, night.exit_code, night.cases, report::cases_per_second(night), 0,
      night.stability, {}};
  if (const PairCounts* worst = worst_pair(night)) n.share_max = worst->share_max;
  for (const NightBucket& b : night.buckets) ++n.buckets[std::string(name(b.state))];
  return n;
}

}  // namespace

std::vector<Point> points(const Night& night, std::size_t most) {
  const std::vector<Sample>& samples = night.over_time;
  const std::size_t step = (samples.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<Point> all;
  const Sample* before = nullptr;  // last one of the point before
  for (std::size_t i = 0; i < samples.size();) {
    const std::size_t end = std::min(i + step, samples.size());
    Point point{samples[end - 1].line.seconds, samples[end - 1].phase, std::nullopt, {}};
    for (; i < end; ++i) raise(point, samples[i].line);
    const Sample& last = samples[end - 1];
    // A phase counts its cases from 0.
    if (before && before->phase == last.phase && last.line.seconds > before->line.seconds &&
        last.line.cases >= before->line.cases)
      point.rate = static_cast<double>(last.line.cases - before->line.cases) /
                   (last.line.seconds - before->line.seconds);
    before = &last;
    all.push_back(std::move(point));
  }
  return all;
}

const PairCounts* worst_pair(const Night& night) {
  const PairCounts* worst = nullptr;
  for (const PairCounts& p : night.pairs)
    if (!p.subject.starts_with("fault/") && (!worst || p.share_max > worst->share_max)) worst = &p;
  return worst;
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
