#include "ulpfuzz/runner/dissect_guarded.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "shrink_messages.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

json to_json(const std::vector<Boundary>& boundaries) {
  json all = json::array();
  for (const Boundary& b : boundaries)
    all.push_back({{"what", b.what}, {"text", b.text}, {"fails", b.fails}, {"passes", b.passes}});
  return all;
}

std::vector<Boundary> boundaries_from(const json& j) {
  std::vector<Boundary> all;
  for (const json& b : j)
    all.push_back({b.at("what"), b.at("text"), b.at("fails"), b.at("passes")});
  return all;
}

/// Without the neighbour's case.
json to_json(const Dissection& d) {
  json components = json::array();
  for (const Component& c : d.components)
    components.push_back({{"name", c.name},
                          {"weight", static_cast<int>(c.weight)},
                          {"tried", c.tried},
                          {"failed", c.failed}});
  json layers = json::array();
  for (const LayerShare& l : d.layers)
    layers.push_back(
        {{"op", l.op}, {"outcome", static_cast<int>(l.outcome)}, {"share", json_number(l.share)}});
  json all = {{"components", components},
              {"layers", layers},
              {"other_sizes", d.other_sizes},
              {"first_op", d.first_op}};
  if (d.neighbour) all["neighbour"] = to_json(*d.neighbour);
  return all;
}

Dissection dissection_from(ShrinkMessage message) {
  const json& j = message.head.at("all");
  Dissection d;
  if (j.contains("neighbour"))
    d.neighbour = neighbour_from(j.at("neighbour"), std::move(message.cases.at(0)));
  for (const json& c : j.at("components"))
    d.components.push_back({c.at("name"), static_cast<Weight>(c.at("weight").get<int>()),
                            c.at("tried"), c.at("failed")});
  for (const json& l : j.at("layers"))
    d.layers.push_back(
        {l.at("op"), static_cast<Outcome>(l.at("outcome").get<int>()), read_number(l.at("share"))});
  d.other_sizes = j.at("other_sizes");
  d.first_op = j.at("first_op");
  return d;
}

/// In the place of a subject that ends processes: is not asked for what no Judge tells.
class Silent final : public Subject {
 public:
  explicit Silent(const Subject& subject) : name_(subject.name()) {}
  std::string_view name() const override { return name_; }
  void evaluate(const Evaluation&) const override {
    throw std::runtime_error("not evaluated in this process");
  }

 private:
  std::string name_;
};

class Trial {
 public:
  Trial(const Shrunk& failing, const std::optional<Neighbour>& neighbour, const Property& property,
        const Subject& subject, const DissectGuard& options)
      : failing_(failing),
        neighbour_(neighbour),
        property_(property),
        subject_(subject),
        options_(options) {}

  Findings run() {
    if (attempt(options_.isolate) || options_.isolate || cancelled()) return finish();
    attempt(true);
    return finish();
  }

 private:
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }

  Findings finish() {
    if (!found_.dissection.neighbour) found_.dissection.neighbour = neighbour_;
    if (cancelled()) found_.unfinished = "interrupted";
    return std::move(found_);
  }

  bool attempt(bool isolate) {
    bool boundaries_known = false;
    bool all_known = false;
    ShrinkInbox inbox([&](ShrinkMessage m) {
      if (m.head.at("m") == "boundaries") {
        found_.boundaries = boundaries_from(m.head.at("all"));
        boundaries_known = true;
      } else {
        found_.dissection = dissection_from(std::move(m));
        all_known = true;
      }
    });
    const process::Ending ending =
        process::run_isolated([&](int fd) { work(fd, isolate); }, options_.case_timeout + 1,
                              [&](std::string_view block) { inbox.add(block); }, options_.cancelled,
                              options_.memory_limit);
    found_.unfinished.clear();
    if (!all_known)
      found_.unfinished =
          fmt::format("the process that looked for {} {}",
                      boundaries_known ? "what matters" : "boundaries", process::describe(ending));
    return all_known;
  }

  void work(int fd, bool isolate) {
    auto last = process::Clock::now();
    CheckContext context;
    const Judge judged = [&](const Case& c) {
      if (process::seconds_since(last) > 0.2) {
        last = process::Clock::now();
        process::write_all(fd, empty_frame());
      }
      return isolate ? judge_isolated(property_, c, subject_, options_.check, options_.case_timeout,
                                      options_.cancelled, options_.memory_limit)
                     : judge(property_, c, subject_, options_.check, context);
    };
    BoundaryOptions boundary = options_.boundary;
    boundary.cancelled = [this] { return cancelled() || subject_.broken(); };
    boundary.confirmation = options_.confirmation;
    const Silent silent(subject_);
    const auto all = boundaries(failing_, judged,
                                isolate ? static_cast<const Subject&>(silent) : subject_, boundary);
    if (subject_.broken()) return;
    process::write_all(fd, to_frame({{"m", "boundaries"}, {"all", to_json(all)}}));
    DissectOptions dissection = options_.dissection;
    dissection.cancelled = boundary.cancelled;
    dissection.confirmation = options_.confirmation;
    const Dissection d = dissect(failing_, neighbour_, judged, dissection);
    if (subject_.broken()) return;
    std::vector<const Case*> cases;
    if (d.neighbour) cases.push_back(&d.neighbour->value);
    process::write_all(fd, to_frame({{"m", "dissection"}, {"all", to_json(d)}}, cases));
  }

  const Shrunk& failing_;
  const std::optional<Neighbour>& neighbour_;
  const Property& property_;
  const Subject& subject_;
  const DissectGuard& options_;
  Findings found_;
};

}  // namespace

std::string Findings::boundary_line() const {
  std::string line;
  for (const Boundary& b : boundaries)
    line += fmt::format("{}{}: {}", line.empty() ? "" : "; ", b.what, b.text);
  return line;
}

Findings dissect_guarded(const Shrunk& failing, const std::optional<Neighbour>& neighbour,
                         const Property& property, const Subject& subject,
                         const DissectGuard& options) {
  return Trial(failing, neighbour, property, subject, options).run();
}

}  // namespace ulpfuzz
