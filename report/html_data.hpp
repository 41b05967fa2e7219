#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report::page {

/// A place on the axis of time: one sample, or several where there are more than a chart can show.
struct Point {
  double from = 0, seconds = 0;  ///< its stretch of time
  std::string phase;
  std::optional<double> rate;  ///< cases per second in that time; none across phases
  std::map<std::string, std::map<std::string, double>> share;  ///< largest
};

/// At most `most` points.
std::vector<Point> points(const Night& night, std::size_t most = 240);

/// The latest of the trend and this night, oldest first.
std::vector<EarlierNight> shown_nights(const Night& night, std::size_t most = 120);

}  // namespace ulpfuzz::report::page
