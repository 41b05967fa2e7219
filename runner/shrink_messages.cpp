#include "shrink_messages.hpp"

#include <cstring>
#include <utility>

#include "ulpfuzz/network/case_file.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

std::string length_word(std::uint64_t length) {
  std::string word(sizeof length, '\0');
  std::memcpy(word.data(), &length, sizeof length);
  return word;
}

std::uint64_t length_at(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

ShrinkMessage message_from(std::string_view body) {
  const std::size_t line = body.find('\n');
  ShrinkMessage message{json::parse(body.substr(0, line)), {}};
  std::string_view rest = body.substr(line + 1);
  while (!rest.empty()) {
    const std::uint64_t length = length_at(rest);
    rest.remove_prefix(sizeof length);
    message.cases.push_back(
        case_from_bytes({reinterpret_cast<const std::uint8_t*>(rest.data()), length},
                        "shrink child")
            .value);
    rest.remove_prefix(length);
  }
  return message;
}

/// The catalogue's own name, which lives as long as the program.
std::string_view pass_named(const std::string& name) {
  for (const generators::Pass& pass : generators::passes())
    if (pass.name == name) return pass.name;
  return {};
}

}  // namespace

std::string to_frame(const json& head, std::span<const Case* const> cases) {
  std::string body = dump(head) + "\n";
  for (const Case* c : cases) {
    const auto bytes = to_bytes(CaseFile{*c, {}});
    body += length_word(bytes.size());
    body.append(bytes.begin(), bytes.end());
  }
  return length_word(body.size()) + body;
}

std::string empty_frame() { return length_word(0); }

void ShrinkInbox::add(std::string_view block) {
  pending_ += block;
  std::size_t at = 0;
  constexpr std::size_t word = sizeof(std::uint64_t);
  while (pending_.size() - at >= word) {
    const std::uint64_t size = length_at(std::string_view(pending_).substr(at));
    if (pending_.size() - at - word < size) break;
    if (size > 0) take_(message_from(std::string_view(pending_).substr(at + word, size)));
    at += word + size;
  }
  pending_.erase(0, at);
}

json to_json(const Neighbour& neighbour) {
  return {{"edit", neighbour.edit}, {"verdict", to_json(neighbour.verdict)}};
}

Neighbour neighbour_from(const json& j, Case value) {
  return {j.at("edit"), std::move(value), verdict_from(j.at("verdict"))};
}

std::string to_frame(const ShrinkResult& r) {
  json head = {{"m", "result"},
               {"verdict", to_json(r.verdict)},
               {"before", to_json(r.before)},
               {"evaluations", r.evaluations},
               {"recalled", r.recalled},
               {"accepted", r.accepted},
               {"slips", r.slips},
               {"stop", static_cast<int>(r.stop)}};
  std::vector<const Case*> cases{&r.value};
  if (r.severe) {
    head["severe"] = to_json(r.severe->verdict);
    cases.push_back(&r.severe->value);
  }
  if (r.neighbour) {
    head["neighbour"] = to_json(*r.neighbour);
    cases.push_back(&r.neighbour->value);
  }
  head["ladder"] = json::array();
  for (const Rung& rung : r.ladder) {
    head["ladder"].push_back({{"octave", rung.octave}, {"verdict", to_json(rung.least.verdict)}});
    cases.push_back(&rung.least.value);
  }
  head["passes"] = json::array();
  for (const PassCount& p : r.passes)
    head["passes"].push_back({{"name", p.name}, {"tried", p.tried}, {"accepted", p.accepted}});
  return to_frame(head, cases);
}

ShrinkResult result_from(ShrinkMessage message) {
  const json& head = message.head;
  std::size_t used = 0;
  const auto next = [&] { return std::move(message.cases.at(used++)); };
  ShrinkResult r;
  r.value = next();
  r.verdict = verdict_from(head.at("verdict"));
  r.before = verdict_from(head.at("before"));
  r.evaluations = head.at("evaluations");
  r.recalled = head.at("recalled");
  r.accepted = head.at("accepted");
  r.slips = head.at("slips");
  r.stop = static_cast<ShrinkStop>(head.at("stop").get<int>());
  if (head.contains("severe")) r.severe = Shrunk{next(), verdict_from(head.at("severe"))};
  if (head.contains("neighbour")) r.neighbour = neighbour_from(head.at("neighbour"), next());
  for (const json& rung : head.at("ladder"))
    r.ladder.push_back({rung.at("octave"), {next(), verdict_from(rung.at("verdict"))}});
  for (const json& p : head.at("passes"))
    r.passes.push_back({pass_named(p.at("name")), p.at("tried"), p.at("accepted")});
  return r;
}

}  // namespace ulpfuzz
