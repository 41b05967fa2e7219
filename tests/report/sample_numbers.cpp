#include "sample_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ulpfuzz::samples {

using namespace report;

namespace {

/// Noise that is the same everywhere.
class Noise {
 public:
  double next() {  ///< in [0, 1)
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / (1u << 24);
  }

 private:
  std::uint64_t state_ = 7;
};

}  // namespace

void add_pairs(Night& night) {
  Noise noise;
  for (const char* property : properties)
    for (const char* subject : subjects) {
      PairCounts p;
      p.property = property;
      p.subject = subject;
      const bool wrong = std::string_view(subject).starts_with("fault/");
      const double peak = wrong ? 25 : 19 + 2 * noise.next();
      for (std::size_t bin = 0; bin < share_bins; ++bin) {
        const double far = (static_cast<double>(bin) - peak) / 2.5;
        const bool reached = bin < share_bin(1) || wrong;
        p.shares[bin] = reached ? static_cast<std::uint64_t>(4e6 * std::exp(-far * far)) : 0;
      }
      p.shares[0] = 9'000'000;
      for (const std::uint64_t n : p.shares) p.pass += n;
      if (wrong)
        for (std::size_t bin = share_bin(1); bin < share_bins; ++bin) p.fail += p.shares[bin];
      p.pass -= p.fail;
      p.vacuous = static_cast<std::uint64_t>(90000 * noise.next());
      p.skip = property == properties[1] ? 1200 : 0;
      p.cases = p.pass + p.fail + p.vacuous + p.skip;
      p.elements = 400 * p.pass;
      p.share_max = wrong ? 4193740.9 : 0.3 + 0.5 * noise.next();
      night.verdicts["pass"] += p.pass;
      night.verdicts["fail"] += p.fail;
      night.verdicts["vacuous"] += p.vacuous;
      night.verdicts["skip"] += p.skip;
      night.cases += p.cases;
      night.elements += p.elements;
      night.pairs.push_back(p);
    }
}

void add_statistics(Night& night) {
  Noise noise;
  Statistics& s = night.statistics;
  for (int op = 2; op <= static_cast<int>(Op::reshape); ++op)
    s.ops[static_cast<std::size_t>(op)] = static_cast<std::uint64_t>(4e8 * noise.next() / op);
  s.ops[static_cast<std::size_t>(Op::rms_norm)] = 0;
  for (std::size_t i = 0; i < value_classes; ++i)
    s.values[i] =
        i == 5 ? 0 : static_cast<std::uint64_t>(6e8 * noise.next() / static_cast<double>(i + 1));
  for (std::size_t i = 0; i < size_bins - 1; ++i) {
    s.batches[i] = static_cast<std::uint64_t>(1e8 * noise.next());
    s.slices[i] = i < 7 ? static_cast<std::uint64_t>(1e8 * noise.next()) : 0;
  }
  for (std::size_t depth = 0; depth < 4; ++depth)
    for (std::size_t width = 0; width < 9; ++width) {
      if (depth == 3 && width == 8) continue;
      s.sizes[depth][width] = static_cast<std::uint64_t>(3e7 * noise.next());
      s.worst[depth][width] =
          std::exp2(-9 + static_cast<double>(depth + width) * 0.8 + noise.next());
    }
  s.worst[2][5] = 2107.4;
}

void add_samples(Night& night) {
  Noise noise;
  double seconds = 620;
  for (const auto& [phase, until, rate] :
       {std::tuple{"random", 13000.0, 27000.0}, std::tuple{"search", 21500.0, 19000.0}}) {
    std::uint64_t cases = 0;
    for (; seconds < until; seconds += 30) {
      Sample s{phase, {}};
      s.line.seconds = seconds;
      cases += static_cast<std::uint64_t>(30 * rate * (0.92 + 0.1 * noise.next()));
      s.line.cases = cases;
      for (const char* property : properties) {
        auto& share = s.line.share[property];
        share["sound"] = 0.1 + 0.5 * noise.next() * seconds / 28000;
        share["probabilistic"] = 0.3 + 0.6 * noise.next() * noise.next();
        if (noise.next() > 0.5) share["exact"] = 0;
      }
      if (noise.next() > 0.97) s.line.share[properties[0]]["exact"] = 1.7976931348623157e308;
      night.over_time.push_back(s);
    }
  }
}

void add_trend(Night& night) {
  Noise noise;
  for (int i = 0; i < 60; ++i) {
    EarlierNight n;
    n.date = fmt::format("2026-{:02}-{:02}T02:00:00Z", i < 30 ? 10 : 11, i % 30 + 1);
    n.id = fmt::format("2026{:02}{:02}T020000Z-7", i < 30 ? 10 : 11, i % 30 + 1);
    n.cases = 600'000'000 + static_cast<std::uint64_t>(1e8 * noise.next());
    n.cases_per_second = static_cast<double>(n.cases) / 28800;
    n.share_max = i == 17 ? 19.1 : 0.5 + 0.45 * noise.next();
    n.stability = 0.985 + 0.015 * noise.next();
    n.buckets["known"] = i > 33 ? 1 : 0;
    n.buckets["new"] = i == 11 || i == 17 || i == 33 || i == 57
                           ? 1 + static_cast<std::uint64_t>(3 * noise.next())
                           : 0;
    n.buckets["open"] = (i > 11 && i < 16) || i > 57 ? 1 : 0;
    n.buckets["flaky"] = noise.next() > 0.9 ? 1 : 0;
    n.buckets["fixed"] = i == 16 ? 1 : 0;
    n.exit_code = n.buckets["new"] + n.buckets["open"] > 0 ? 1 : 0;
    night.trend.push_back(n);
  }
}

}  // namespace ulpfuzz::samples
