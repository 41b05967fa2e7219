#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

/// What a part of a failing case means to the failure: `critical`: nothing else that was tried in
/// its place fails alike; `irrelevant`: all of it does; `sensitive`: some of it.
enum class Weight : std::uint8_t { critical, irrelevant, sensitive };
std::string_view name(Weight weight);

struct Component {
  std::string name;  ///< "tanh 3", "row 2", "slice 0", "parameter 1[0][4]"
  Weight weight = Weight::irrelevant;
  unsigned tried = 0;   ///< replacements that could be judged
  unsigned failed = 0;  ///< so many of them failed alike
};

/// The failure seen at the output of one op: of the network cut off there.
struct LayerShare {
  std::string op;  ///< "linear 2"
  Outcome outcome = Outcome::pass;
  double share = 0;
};

struct Dissection {
  std::vector<Component> components;  ///< ops, rows, slices, then numbers
  std::optional<Neighbour> neighbour;
  std::string other_sizes;         ///< that it has: "batch 8 instead of 9"; empty if none
  std::vector<LayerShare> layers;  ///< in order of evaluation
  std::string first_op;            ///< at which the paths part
};

struct DissectOptions {
  std::uint64_t evaluations = 600;
  double seconds = 10;
  std::function<bool()> cancelled = {};
  /// What fails less often than that, but not never, is not counted.
  Confirmation confirmation = {};
};

/// Takes a minimal case apart: each component is drawn anew within its domain, at most 32 times.
Dissection dissect(const Shrunk& failing, const std::optional<Neighbour>& neighbour,
                   const Judge& judge, const DissectOptions& options = {});

/// For people, several lines.
std::string to_text(const Dissection& dissection);

}  // namespace ulpfuzz
