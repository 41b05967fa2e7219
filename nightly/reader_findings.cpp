#include "reader_findings.hpp"

#include <fmt/format.h>

#include <cctype>
#include <sstream>

#include "files.hpp"
#include "fold.hpp"
#include "fuzzer_findings.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t longest_cause = 80;

FailureClass class_of(const ProgramEnding& ending, const fs::path& input) {
  const std::string name = input.filename().string();
  if (ending.code == timeout_code || name.starts_with("timeout-")) return FailureClass::hang;
  if (ending.code == memory_code || name.starts_with("oom-")) return FailureClass::out_of_memory;
  return FailureClass::crash;
}

/// "reader/binary form loses" of its own token, or of the sanitizer's summary all but the place.
std::string cause_of(const fs::path& log) {
  std::istringstream lines(file_text(log).value_or(""));
  std::string token, summary;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first != "DEDUP_TOKEN:" && first != "SUMMARY:") continue;
    std::string text;
    for (std::string word; words >> word;)
      if (!word.starts_with('/') && !word.starts_with('('))
        text += (text.empty() ? "" : " ") + word;
    (first == "SUMMARY:" ? summary : token) = text.substr(0, longest_cause);
  }
  return token.empty() ? summary : token;
}

std::string id_of(const Bucket& b) {
  std::string id;
  for (const char c : fmt::format("reader {} {} {}", b.subject, b.failure_class, b.cause)) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0)
      id += static_cast<char>(std::tolower(u));
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  return id;
}

bool fails_again(Session& session, const FuzzTarget& target, const fs::path& input,
                 const fs::path& home) {
  std::vector<std::string> command = usual_command(session, target, home);
  command.push_back(input.string());
  const fs::path again = home / "again";
  make_folder(again);
  std::vector<ProgramRun> running;
  running.emplace_back(command, surroundings_of(session, again), again);
  wait_for(running, 2 * session.options().case_timeout, session.stop_asked());
  const ProgramEnding& ending = running.front().ending();
  return ending.how != ProgramEnding::How::exited || ending.code != 0;
}

}  // namespace

std::vector<fs::path> artifacts(const fs::path& home) {
  std::vector<fs::path> found;
  for (const fs::path& file : entries(home))
    for (const char* kind : {"crash-", "oom-", "timeout-", "leak-"})
      if (file.filename().string().starts_with(kind)) found.push_back(file);
  return found;
}

void look_at_reader(Session& session, const FuzzTarget& target, const ProgramEnding& ending,
                    const fs::path& home) {
  const std::vector<fs::path> inputs = artifacts(home);
  if (inputs.empty())
    return session.error(fmt::format("libFuzzer: {} {}; its log: {}", home.filename().string(),
                                     ending.text(), (home / "log").string()));
  const fs::path& input = inputs.front();  // there is one: it ended the process
  Bucket b;
  b.property = "reader";
  b.subject = target.name;
  b.failure_class = name(class_of(ending, input));
  b.cause = cause_of(home / "log");
  b.id = id_of(b);
  b.count = b.tried = 1;
  b.reproduced = fails_again(session, target, input, home) ? 1 : 0;
  if (session.stopping()) return;  // it was stopped, too
  b.flaky = b.reproduced == 0;
  if (add_bucket(session.night(), b, "libFuzzer", Fold::everything))
    ++session.phase("libFuzzer").buckets;
  // What failed again before is no less a finding.
  Bucket& known = find_bucket(session.night(), b.id)->bucket;
  const fs::path out = session.options().out, to = settle(known, out);
  nightly::copy_file(input, out / to / input.filename());
  nightly::copy_file(home / "log", out / to / "log");
  if (known.reason.empty() || b.reproduced > 0)
    known.reason =
        fmt::format("{} {} on {}", target.file(), ending.text(), (to / input.filename()).string());
  session.say(fmt::format("FAIL {}: {}", known.id, known.reason));
}

}  // namespace ulpfuzz::nightly
