#include <fmt/format.h>

#include <charconv>

#include "../say.hpp"
#include "../shrink_messages.hpp"
#include "../verdict_json.hpp"
#include "shrink_options.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/shrink/shrink.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

/// The failure that the case was shrunk from, as far as its notes tell.
Verdict kept_failure(Verdict own, const CaseFile& file) {
  if (const std::string cause = note_of(file, "cause"); !cause.empty()) own.cause = cause;
  const std::string share = note_of(file, "share_before");
  double value = 0;
  const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
  if (error == std::errc{} && end == share.data() + share.size()) own.share = value;
  return own;
}

struct Verified {
  Verdict own;
  Certificate certificate;
  std::string unknown;  ///< why there is no certificate; empty if there is one
};

void work(int fd, const ShrinkCommand& s, const CaseFile& file, const Property& property,
          const Subject& subject) {
  const Judge judged = [&](const Case& c) {
    process::write_all(fd, empty_frame());
    return judge_isolated(property, c, subject, s.options.check, s.options.case_timeout,
                          s.options.cancelled, s.options.memory_limit);
  };
  const Verdict own = judged(file.value);
  Certificate certificate;
  if (own.failed()) {
    ShrinkOptions options = s.options;
    options.activations = recorder();
    certificate = certify(file.value, kept_failure(own, file), judged, options);
  }
  nlohmann::json head = {{"m", "certificate"},
                         {"own", to_json(own)},
                         {"stop", static_cast<int>(certificate.stop)},
                         {"edit", certificate.edit},
                         {"evaluations", certificate.evaluations}};
  if (!certificate.simpler) {
    process::write_all(fd, to_frame(head));
    return;
  }
  head["verdict"] = to_json(certificate.simpler->verdict);
  const Case* cases[] = {&certificate.simpler->value};
  process::write_all(fd, to_frame(head, cases));
}

Verified in_child(const ShrinkCommand& s, const CaseFile& file, const Property& property,
                  const Subject& subject) {
  Verified v;
  bool known = false;
  ShrinkInbox inbox([&](ShrinkMessage m) {
    known = true;
    v.own = verdict_from(m.head.at("own"));
    v.certificate.stop = static_cast<ShrinkStop>(m.head.at("stop").get<int>());
    v.certificate.edit = m.head.at("edit");
    v.certificate.evaluations = m.head.at("evaluations");
    if (!m.cases.empty())
      v.certificate.simpler = Shrunk{m.cases.front(), verdict_from(m.head.at("verdict"))};
  });
  const process::Ending ending = process::run_isolated(
      [&](int fd) { work(fd, s, file, property, subject); }, s.options.case_timeout * 2,
      [&](std::string_view block) { inbox.add(block); }, s.options.cancelled);
  if (!known) v.unknown = process::describe(ending);
  return v;
}

}  // namespace

int verify(const ShrinkCommand& s, const CaseFile& file, const Property& property,
           const Subject& subject) {
  const Verified v = in_child(s, file, property, subject);
  if (!v.unknown.empty()) {
    say(stderr,
        fmt::format("ulpfuzz: not all edits were tried: the process that did {}\n", v.unknown));
    return too_little;
  }
  if (!v.own.failed()) {
    answer(stdout, fmt::format("{} holds for {} on this case ({}): there is no failure to keep\n",
                               property.name, subject.name(), name(v.own.outcome)));
    return too_little;
  }
  const Certificate& c = v.certificate;
  if (c.simpler) {
    answer(stdout, fmt::format("not minimal: '{}' leaves {}\n  {}, share {:.4g}\n", c.edit,
                               describe(c.simpler->value), c.simpler->verdict.reason,
                               c.simpler->verdict.share));
    return 1;
  }
  if (!c.minimal()) {
    answer(stdout,
           fmt::format("not known after {} evaluations: {}\n", c.evaluations, name(c.stop)));
    return too_little;
  }
  answer(stdout, fmt::format("minimal: no edit of the {} passes gives a simpler case that fails "
                             "alike ({} evaluations)\n",
                             generators::passes().size(), c.evaluations));
  return 0;
}

}  // namespace ulpfuzz::tool
