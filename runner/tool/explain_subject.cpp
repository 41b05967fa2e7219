#include "explain_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz::tool {
namespace {

/// Digits of a finite number in its shortest text, and the decimal exponent of the first.
struct Digits {
  int count = 1, exponent = 0;
};
template <class T>
Digits digits_of(T value) {
  std::string text = fmt::format("{}", std::abs(value));
  Digits d;
  const std::size_t e = text.find('e');
  int exponent = e == std::string::npos ? 0 : std::stoi(text.substr(e + 1));
  text.resize(std::min(e, text.size()));
  const std::size_t point = text.find('.');
  const std::size_t whole = std::min(point, text.size());
  if (point != std::string::npos) text.erase(point, 1);
  const std::size_t first = text.find_first_not_of('0');
  const std::size_t last = text.find_last_not_of('0');
  if (first == std::string::npos) return d;
  d.count = static_cast<int>(last - first) + 1;
  d.exponent = exponent + static_cast<int>(whole) - 1 - static_cast<int>(first);
  return d;
}

bool is_float(double x) { return std::isnan(x) || static_cast<double>(static_cast<float>(x)) == x; }

/// How the given numbers were printed: with so many significant digits at most, none behind
/// 10^last.
struct Print {
  bool floats = true;
  int digits = 0;  ///< 0: none shows any
  int last = 0;
};
Digits digits_of(double value, bool floats) {
  return floats ? digits_of(static_cast<float>(value)) : digits_of(value);
}
Print print_of(std::span<const double> given) {
  Print p;
  p.floats = std::all_of(given.begin(), given.end(), is_float);
  bool any = false;
  for (const double x : given) {
    if (x == 0 || !std::isfinite(x)) continue;
    const Digits d = digits_of(x, p.floats);
    p.digits = std::max(p.digits, d.count);
    const int last = d.exponent - d.count + 1;
    p.last = any ? std::min(p.last, last) : last;
    any = true;
  }
  return p;
}

/// Half a unit of the last place that `x` shows, whether the numbers were printed with the same
/// decimals or, as d.ddde-5, with the same digits (a trailing 0 does not show).
double half_unit(double x, const Print& p) {
  if (p.digits == 0) return 0;
  const int own = x == 0 ? p.last : digits_of(x, p.floats).exponent - p.digits + 1;
  return 0.5 * std::pow(10.0, std::max(p.last, own));
}

struct BatchPair {
  std::vector<float> a, b;
};

void run_batch(Caller& caller, const Subject& subject, const Files& files, std::size_t batch,
               std::vector<float>& rows) {
  std::vector<const float*> inputs;
  for (const Tensor& x : files.all_inputs) inputs.push_back(x.data.data());
  const NetworkFile& n = files.network;
  const auto y = caller.run(subject, n.network, n.parameters, batch, inputs).values.front();
  const std::size_t width = y.size() / batch;
  for (const std::uint32_t row : files.selected)
    rows.insert(rows.end(), y.begin() + static_cast<std::ptrdiff_t>(row * width),
                y.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
}

void write_floats(int fd, const std::vector<float>& values) {
  process::write_all(fd, {reinterpret_cast<const char*>(values.data()), values.size() * 4});
}

/// In the child: R and the numbers of both, or E, a letter for the class, and what happened.
void answer_in_child(int fd, const Subject& subject, const Question& q, const Files& files) {
  try {
    Caller caller;
    BatchPair pair;
    run_batch(caller, subject, files, q.batch_a, pair.a);
    run_batch(caller, subject, files, q.batch_b, pair.b);
    process::write_all(fd, "R");
    write_floats(fd, pair.a);
    write_floats(fd, pair.b);
  } catch (const SubjectFault& fault) {
    const char letter = static_cast<char>('a' + static_cast<int>(fault.failure()));
    process::write_all(fd, fmt::format("E{}{}", letter, fault.what()));
  }
}

BatchPair evaluate_batches(const Subject& subject, const Question& question, const Files& files,
                           double timeout, std::uint64_t memory) {
  std::string text;
  const process::Ending ending =
      process::run_isolated([&](int fd) { answer_in_child(fd, subject, question, files); }, timeout,
                            [&](std::string_view block) { text += block; }, {}, memory);
  if (text.starts_with('E') && text.size() > 1)
    throw SubjectFault(static_cast<FailureClass>(text[1] - 'a'), text.substr(2));
  if (ending.how == process::Ending::How::timed_out)
    throw SubjectFault(FailureClass::hang,
                       fmt::format("{} made no progress for {:g} s", subject.name(), timeout));
  if (ending.how == process::Ending::How::grown)
    throw SubjectFault(FailureClass::out_of_memory,
                       fmt::format("{} {}", subject.name(), process::describe(ending)));
  if (!text.starts_with('R') || text.size() % 8 != 1)
    throw SubjectFault(FailureClass::crash,
                       fmt::format("{} {}", subject.name(), process::describe(ending)));
  BatchPair pair;
  pair.a.resize(text.size() / 8);
  pair.b.resize(text.size() / 8);
  std::memcpy(pair.a.data(), text.data() + 1, pair.a.size() * 4);
  std::memcpy(pair.b.data(), text.data() + 1 + pair.a.size() * 4, pair.b.size() * 4);
  return pair;
}

std::string subject_text(const Subject& subject, const Question& question, const Reproduction& r) {
  std::string text = fmt::format("subject      {}, the first {} and the first {} rows\n",
                                 subject.name(), question.batch_a, question.batch_b);
  if (const std::string environment = subject.environment(); !environment.empty())
    text += fmt::format("             {}\n", environment);
  if (r.given > 0) {
    const std::string how = r.digits == 0 ? "in every bit, as none of them shows digits"
                                          : fmt::format("at their printed digits ({})", r.digits);
    text += fmt::format("reproduces   {} of {} given differences {}", r.reproduced, r.given, how);
    if (r.not_numbers > 0) text += fmt::format("; {} of them NaN, no number", r.not_numbers);
    if (r.reproduced + r.not_numbers < r.given)
      text += fmt::format("; the others are off by up to {:.3g}", r.largest);
    text += '\n';
  }
  return text + '\n';
}

nlohmann::ordered_json subject_json(const Subject& subject, const Question& question,
                                    const Reproduction& r) {
  nlohmann::ordered_json j = {{"name", subject.name()},
                              {"environment", subject.environment()},
                              {"batch_sizes", {question.batch_a, question.batch_b}},
                              {"given", nullptr},
                              {"reproduced", nullptr},
                              {"digits", nullptr},
                              {"not_numbers", nullptr},
                              {"off_max", nullptr}};
  if (r.given == 0) return j;
  j["given"] = r.given;
  j["reproduced"] = r.reproduced;
  if (r.digits > 0) j["digits"] = r.digits;
  j["not_numbers"] = r.not_numbers;
  j["off_max"] =
      std::isfinite(r.largest) ? nlohmann::ordered_json(r.largest) : nlohmann::ordered_json();
  return j;
}

}  // namespace

Reproduction reproduction(std::span<const float> a, std::span<const float> b,
                          std::span<const double> given) {
  const Print print = print_of(given);
  Reproduction r{.given = given.size(), .digits = print.digits};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::isnan(given[i])) {
      ++r.not_numbers;
      continue;
    }
    const float in_fp32 = a[i] - b[i];
    const double off = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]) - given[i]);
    const bool same = static_cast<double>(in_fp32) == given[i] || off <= half_unit(given[i], print);
    if (same) ++r.reproduced;
    if (!std::isnan(off))
      r.largest = std::max(r.largest, off);
    else if (!same)
      r.largest = std::numeric_limits<double>::infinity();
  }
  return r;
}

Evaluated evaluate_subject(const Subject& subject, const Question& question, Files& files,
                           double timeout, std::uint64_t memory) {
  BatchPair pair = evaluate_batches(subject, question, files, timeout, memory);
  const Reproduction reproduced = reproduction(pair.a, pair.b, files.difference);
  files.a = std::move(pair.a);
  files.b = std::move(pair.b);
  files.difference.clear();
  return {subject_text(subject, question, reproduced), subject_json(subject, question, reproduced)};
}

}  // namespace ulpfuzz::tool
