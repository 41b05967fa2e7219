#pragma once

#include <optional>
#include <string>

namespace ulpfuzz::bench {

/// Cases per second of the peer. `same`: on our distribution; `strategies`: with sizes drawn by
/// Hypothesis' own strategies, which favour small values.
struct PeerRates {
  std::string versions;
  struct Rates {
    double forward = 0;
    double gradient = 0;
    std::string forward_case;  ///< what a case was like on average
    std::string gradient_case;
  };
  Rates same, strategies;
};

/// Runs the peer's script with the system's Python, `seconds` for each of its four measurements.
/// Nothing, and why in `problem`, where it cannot run.
std::optional<PeerRates> run_peer(double seconds, std::string& problem);

/// "32.1 rows, 3.9 slices, 25,587 multiply-adds"
std::string average_case(double rows, double slices, double multiply_adds);

}  // namespace ulpfuzz::bench
