#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::bench {

/// How cases come about.
enum class Way : std::uint8_t { random, climb, coverage, feedback };
inline constexpr std::array<Way, 4> all_ways{Way::random, Way::climb, Way::coverage, Way::feedback};
std::string_view name(Way way);

/// One property on one subject, searched in one way from one seed.
struct Search {
  const Property* property = nullptr;
  const Subject* subject = nullptr;
  std::uint64_t evaluations = 0;
  std::uint64_t seed = 0;
  /// Ends at the first failure; else none is expected.
  bool until_failure = false;
};

struct Found {
  std::uint64_t evaluations = 0;
  double seconds = 0;
  double share = 0;          ///< largest
  double probabilistic = 0;  ///< largest that the probabilistic bound gave, of what passed
  std::optional<std::uint64_t> failure;  ///< evaluations until the first, itself included
  double failure_seconds = 0;
};

/// Random or climbing, in this process.
Found search_here(Way way, const Search& search);

/// With a libFuzzer target, if `targets` has it; its own limits hold.
std::optional<Found> search_by_fuzzer(Way way, const Search& search,
                                      const std::filesystem::path& targets);

}  // namespace ulpfuzz::bench
