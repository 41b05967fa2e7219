#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

/// What a child that shrinks tells its parent: JSON and some cases. {"m": "record" | "accepted" |
/// "slipped" | "result", ...}.
struct ShrinkMessage {
  nlohmann::json head;
  std::vector<Case> cases;
};

/// On the pipe: length of the rest (8 bytes), JSON, a newline, each case after its length as a
/// binary case file. Length 0 says that the sender is alive.
std::string to_frame(const nlohmann::json& head, std::span<const Case* const> cases = {});
/// Sign of life.
std::string empty_frame();

/// Puts messages together from blocks as they come.
class ShrinkInbox {
 public:
  explicit ShrinkInbox(std::function<void(ShrinkMessage)> take) : take_(std::move(take)) {}
  void add(std::string_view block);

 private:
  std::function<void(ShrinkMessage)> take_;
  std::string pending_;
};

/// Without the case, which goes with the message.
nlohmann::json to_json(const Neighbour& neighbour);
Neighbour neighbour_from(const nlohmann::json& j, Case value);

/// A result as one message and back; `seconds` is not in it.
std::string to_frame(const ShrinkResult& result);
ShrinkResult result_from(ShrinkMessage message);

}  // namespace ulpfuzz
