#include "ulpfuzz/runner/judge.hpp"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <string_view>

#include "process.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

Verdict failed(FailureClass failure, std::string cause, std::string reason) {
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = failure;
  v.cause = std::move(cause);
  v.reason = std::move(reason);
  return v;
}

/// The number that follows `word` in `text`, or -1.
std::int64_t number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return -1;
  std::int64_t value = -1;
  std::from_chars(text.data() + at + word.size(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Verdict judge(const Property& property, const Case& c, const Subject& subject,
              const CheckOptions& options, CheckContext& context) {
  try {
    return property.check(c, subject, options, context);
  } catch (const SubjectFault& fault) {
    return failed(fault.failure(), "", fault.what());
  } catch (const std::exception& error) {
    // Exceptions of the subject arrive as SubjectFault: this one is ours, and kept all the same.
    return failed(
        FailureClass::exception, "ulpfuzz",
        fmt::format("ulpfuzz itself failed while judging, not the subject: {}", error.what()));
  }
}

Verdict judge_isolated(const Property& property, const Case& c, const Subject& subject,
                       const CheckOptions& options, double timeout,
                       const std::function<bool()>& cancelled) {
  std::string answer;
  const process::Ending ending = process::run_isolated(
      [&](int fd) {
        CheckContext context;
        const Verdict verdict = judge(property, c, subject, options, context);
        process::write_all(fd, dump(to_json(verdict)));
      },
      timeout, [&](std::string_view block) { answer += block; }, cancelled);
  if (ending.how == process::Ending::How::cancelled) {
    Verdict v;
    v.outcome = Outcome::skip;
    v.reason = "interrupted";
    return v;
  }
  if (ending.how == process::Ending::How::timed_out)
    return failed(FailureClass::hang, "timeout",
                  fmt::format("{} made no progress for {:g} s", subject.name(), timeout));
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  // The answer came, so what happened afterwards (a destructor at exit) is not the case's doing.
  if (!json.is_discarded()) return verdict_from(json);
  return failed(FailureClass::crash, process::word(ending),
                fmt::format("{} {}", subject.name(), process::describe(ending)));
}

generators::Focus focus_of(const Verdict& verdict) {
  const std::string_view where = verdict.worst.where;
  generators::Focus focus;
  focus.row = number_after(where, "row ");
  focus.output = number_after(where, "column ");
  if (focus.output < 0 && where.starts_with("d output["))
    focus.output = number_after(where, "output[");
  return focus;
}

}  // namespace ulpfuzz
