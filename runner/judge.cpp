#include "ulpfuzz/runner/judge.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string_view>

#include "fatal_verdict.hpp"
#include "memory.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

/// The error that a device gave, as the message of an exception has it: "cudaErrorIllegalAddress",
/// "CUBLAS_STATUS_ALLOC_FAILED". Empty if there is none.
std::string_view device_error(std::string_view text) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (const std::string_view beginning : {"cudaError", "CUDA_ERROR_", "CUBLAS_STATUS_"}) {
    const std::size_t at = text.find(beginning);
    if (at == std::string_view::npos) continue;
    const std::string_view word = text.substr(at, text.find_first_not_of(letters, at) - at);
    if (word.size() > beginning.size()) return word;
  }
  return {};
}

/// Names the device's error as the cause, and makes a failure of a case that left the subject
/// unusable without an exception.
void look_at_device(Verdict& v, const Subject& subject) {
  const bool broken = subject.broken();
  if (broken && !v.failed())
    v = failed_verdict(
        FailureClass::exception, "",
        fmt::format("{} is unusable in this process after the case, though no call failed",
                    subject.name()));
  const bool named = !v.cause.empty() && v.cause != name(FailureClass::exception);
  if (v.failure != FailureClass::exception || named) return;
  const std::string_view error = device_error(v.reason);
  if (!error.empty())
    v.cause = fmt::format("device error {}", error);
  else if (broken)
    v.cause = "device error";
}

Verdict checked(const Property& property, const Case& c, const Subject& subject,
                const CheckOptions& options, CheckContext& context) {
  try {
    return property.check(c, subject, options, context);
  } catch (const SubjectFault& fault) {
    return failed_verdict(fault.failure(), "", fault.what());
  } catch (const std::bad_alloc&) {
    // In a process that a subject has filled, it may be our own allocation that fails, of the
    // verdict, too.
    process::ease_memory_limit();
    return failed_verdict(FailureClass::out_of_memory, "memory",
                          fmt::format("{} left too little memory to judge it", subject.name()));
  } catch (const std::exception& error) {
    // Exceptions of the subject arrive as SubjectFault: this one is ours, and kept all the same.
    return failed_verdict(
        FailureClass::exception, "ulpfuzz",
        fmt::format("ulpfuzz itself failed while judging, not the subject: {}", error.what()));
  }
}

}  // namespace

Verdict judge(const Property& property, const Case& c, const Subject& subject,
              const CheckOptions& options, CheckContext& context) {
  Verdict verdict = checked(property, c, subject, options, context);
  if (verdict.failure == FailureClass::out_of_memory) process::ease_memory_limit();
  look_at_device(verdict, subject);
  return verdict;
}

Verdict judge_isolated(const Property& property, const Case& c, const Subject& subject,
                       const CheckOptions& options, double timeout,
                       const std::function<bool()>& cancelled, std::uint64_t memory_limit) {
  std::string answer;
  const process::Ending ending = process::run_isolated(
      [&](int fd) {
        CheckContext context;
        const Verdict verdict = judge(property, c, subject, options, context);
        process::write_all(fd, dump(to_json(verdict)));
      },
      timeout, [&](std::string_view block) { answer += block; }, cancelled, memory_limit);
  if (ending.how == process::Ending::How::cancelled) {
    Verdict v;
    v.outcome = Outcome::skip;
    v.reason = "interrupted";
    return v;
  }
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  // The answer came, so what happened afterwards (a destructor at exit) is not the case's doing.
  if (!json.is_discarded() && ending.how != process::Ending::How::timed_out)
    return verdict_from(json);
  return fatal_verdict(subject.name(), ending, timeout);
}

}  // namespace ulpfuzz
