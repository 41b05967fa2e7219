#include "merge_totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ulpfuzz::nightly {
namespace {

using report::Night;

using Texts = std::map<std::string, std::string>;

void add(std::map<std::string, std::uint64_t>& to, const std::map<std::string, std::uint64_t>& n) {
  for (const auto& [key, count] : n) to[key] += count;
}

void add(std::map<std::pair<std::string, std::string>, PairCounts>& pairs, const PairCounts& more) {
  const auto [at, fresh] = pairs.try_emplace({more.property, more.subject}, more);
  if (!fresh) at->second.add(more);
}

template <class Member>
Texts united(const Nights& nights, const Member& member) {
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& [id, night] : nights)
    for (const auto& [key, text] : member(night)) all[key].push_back(text);
  Texts texts;
  for (const auto& [key, list] : all) texts[key] = together(list, nights.size());
  return texts;
}

Environment united_environment(const Nights& nights) {
  Environment e;
  e.machine = united(nights, [](const Night& n) { return n.environment.machine; });
  e.subjects = united(nights, [](const Night& n) { return n.environment.subjects; });
  e.variables = united(nights, [](const Night& n) { return n.environment.variables; });
  std::vector<std::string> claims;
  for (const auto& [id, night] : nights) claims.push_back(night.environment.claim);
  const bool none = std::all_of(claims.begin(), claims.end(), [](auto& c) { return c.empty(); });
  e.claim = none ? "" : together(claims, nights.size());
  return e;
}

std::vector<std::string> united_errors(const Nights& nights) {
  std::vector<std::string> errors;
  for (const auto& [id, night] : nights) {
    if (night.running)
      errors.push_back(fmt::format("{}: not over, or killed: what it left until now is here", id));
    for (const std::string& error : night.errors)
      errors.push_back(nights.size() == 1 ? error : fmt::format("{}: {}", id, error));
  }
  return errors;
}

/// "20261130T020000Z-7-merged4", after the first.
std::string id_of(const Nights& nights) {
  std::string id = nights.begin()->first;
  if (const auto shard = id.rfind("-shard"); shard != id.npos) id.resize(shard);
  return fmt::format("{}-merged{}", id, nights.size());
}

/// Shards replay the same regressions: one that fails anywhere fails.
void add_regressions(Night& all, const Night& night) {
  const auto weight = [](const std::string& answer) {
    return answer == "skip" ? 0 : answer == "pass" ? 1 : 2;
  };
  for (const auto& [file, answer] : night.regressions) {
    std::string& known = all.regressions.try_emplace(file, answer).first->second;
    const int less = weight(known) - weight(answer);
    if (less < 0 || (less == 0 && answer < known)) known = answer;
  }
}

void add_counts(Night& all, const Night& night) {
  all.date = all.date.empty() ? night.date : std::min(all.date, night.date);
  all.seconds = std::max(all.seconds, night.seconds);  // side by side
  all.cases += night.cases;
  all.elements += night.elements;
  add(all.verdicts, night.verdicts);
  add(all.elements_by_tier, night.elements_by_tier);
  add(all.vacuous_reasons, night.vacuous_reasons);
  add(all.skip_reasons, night.skip_reasons);
  all.statistics.add(night.statistics);
  all.stability = std::min(all.stability, night.stability);
  all.corpus = std::max(all.corpus, night.corpus);
  all.corpus_added += night.corpus_added;
  add_regressions(all, night);
  all.interrupted = all.interrupted || night.interrupted;
}

}  // namespace

std::string together(const std::vector<std::string>& texts, std::size_t nights) {
  constexpr std::size_t shown = 4;
  std::map<std::string, std::size_t> counts;
  for (const std::string& text : texts) ++counts[text];
  if (counts.size() == 1 && texts.size() == nights) return texts.front();
  std::vector<std::pair<std::string, std::size_t>> all(counts.begin(), counts.end());
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.second > b.second; });
  std::string line;
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    line += fmt::format("{}{} ({} of {} shards)", i == 0 ? "" : "; ",
                        all[i].first.empty() ? "none" : all[i].first, all[i].second, nights);
  if (all.size() > shown) line += fmt::format("; and {} others", all.size() - shown);
  return line;
}

Night totals(const Nights& nights) {
  Night all;
  all.id = id_of(nights);
  all.seed = nights.begin()->second.seed;
  std::map<std::pair<std::string, std::string>, PairCounts> pairs;
  for (const auto& [id, night] : nights) {
    all.shards.push_back(id);
    add_counts(all, night);
    for (const PairCounts& p : night.pairs) add(pairs, p);
  }
  for (auto& [key, p] : pairs) all.pairs.push_back(std::move(p));
  all.options = united(nights, [](const Night& n) { return n.options; });
  all.unavailable = united(nights, [](const Night& n) { return n.unavailable; });
  all.stopped = united(nights, [](const Night& n) { return n.stopped; });
  all.environment = united_environment(nights);
  all.errors = united_errors(nights);
  all.phases = united_phases(nights);
  all.over_time = united_samples(nights, all.phases);
  return all;
}

}  // namespace ulpfuzz::nightly
