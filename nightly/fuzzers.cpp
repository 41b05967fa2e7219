#include "fuzzers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "files.hpp"
#include "fuzzer_findings.hpp"
#include "fuzzer_inputs.hpp"
#include "program_run.hpp"
#include "reader_findings.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::array readers{"case_file", "npy", "network"};
constexpr std::uint64_t turns_a_reader = 5;  // one turn in so many is of readers
constexpr double least_seconds = 5;
constexpr double most_reading = 1.0 / 3;  // of a turn
constexpr std::size_t least_inputs = 16;
constexpr double usual_speed = 8;
constexpr const char* begin_folder = "begin";

bool can_run(const fs::path& program) {
  std::error_code error;
  return access(program.c_str(), X_OK) == 0 && fs::is_regular_file(program, error);
}

/// One that a finding has ended early says nothing of its speed.
bool had_its_turn(const ProgramEnding& ending) {
  return ending.how == ProgramEnding::How::stopped ||
         (ending.how == ProgramEnding::How::exited &&
          (ending.code == 0 || ending.code == interrupt_code));
}

std::vector<std::string> command_of(const Session& session, const FuzzTarget& target,
                                    const fs::path& home, std::uint64_t seed, double seconds,
                                    std::uint64_t runs) {
  std::vector<std::string> words = usual_command(session, target, home);
  words.push_back(fmt::format("-seed={}", 1 + seed % 0x7ffffffe));
  words.emplace_back("-print_final_stats=1");
  if (runs > 0) words.push_back(fmt::format("-runs={}", runs));
  // Dictionaries lie beside targets, as ClusterFuzz has them.
  const fs::path dictionary = target.program.string() + ".dict";
  if (fs::exists(dictionary)) words.push_back("-dict=" + dictionary.string());
  // It ends when more whole seconds than these have passed.
  if (seconds > 0)
    words.push_back(fmt::format("-max_total_time={}", std::max(1, static_cast<int>(seconds) - 1)));
  words.push_back(inputs_of_part(home.parent_path(), target).string());
  words.push_back((home / begin_folder).string());
  return words;
}

}  // namespace

Fuzzers::Fuzzers(const Session& session) {
  const NightlyOptions& o = session.options();
  if (o.fuzzers.empty()) {
    why_not_ = "no libFuzzer targets were given (--fuzzers)";
    return;
  }
  if (!o.claim.empty()) {
    why_not_ = "libFuzzer targets judge by what subjects claim, not by --claim";
    return;
  }
  const auto add = [&](std::string_view name, bool reader, std::vector<FuzzTarget>& to) {
    const fs::path program = fs::absolute(o.fuzzers / fmt::format("fuzz_{}", name));
    if (can_run(program)) to.push_back({program.lexically_normal(), std::string(name), reader});
  };
  for (const Property* p : select_properties(o.properties)) add(p->name, false, properties_);
  if (properties_.empty()) {
    why_not_ = fmt::format("{} has no program fuzz_PROPERTY", o.fuzzers.string());
    return;
  }
  for (const char* name : readers) add(name, true, readers_);
  all_ = properties_;
  all_.insert(all_.end(), readers_.begin(), readers_.end());
  go_on(session);
}

/// Where an earlier run of this night has come to.
void Fuzzers::go_on(const Session& session) {
  turns_ = session.parts_of("libFuzzer");
  started_ = turns_ * std::max(1U, session.options().jobs);
  for (const fs::path& part : entries(session.options().out / "parts")) {
    if (phase_of(part) != "libFuzzer") continue;
    for (const fs::path& home : entries(part))
      for (const FuzzTarget& reader : readers_)
        if (home.filename().string().starts_with(reader.file() + "-")) read_ += executions_of(home);
  }
}

double Fuzzers::least_turn() const {
  double seconds = least_seconds;
  for (const auto& [name, speed] : speed_)
    seconds = std::max(seconds, least_inputs / most_reading / speed);
  return seconds;
}

/// Of fewer jobs than targets, those wait that were started last; of more, several have one corpus,
/// and see what the others keep.
std::vector<FuzzTarget> Fuzzers::due(std::size_t jobs) {
  const bool reading = !readers_.empty() && turns_ % turns_a_reader == turns_a_reader / 2;
  const std::uint64_t from = reading ? turns_ / turns_a_reader * jobs : started_;
  const auto& waiting = reading ? readers_ : properties_;
  std::vector<FuzzTarget> group;
  for (std::size_t i = 0; i < jobs; ++i) group.push_back(waiting[(from + i) % waiting.size()]);
  if (!reading) started_ += jobs;
  ++turns_;
  return group;
}

/// A part of the turn is for reading: other inputs in each, and so, over the turns, all.
std::size_t Fuzzers::most_to_read(const FuzzTarget& target, double seconds,
                                  std::uint64_t runs) const {
  if (target.reader) return most_inputs;
  const auto known = speed_.find(target.name);
  const double speed = known == speed_.end() ? usual_speed : known->second;
  const double executions = runs > 0 ? static_cast<double>(runs) : seconds * speed;
  return std::max(least_inputs, static_cast<std::size_t>(executions * most_reading));
}

void Fuzzers::run_together(Session& session, std::span<const FuzzTarget> group,
                           const fs::path& part, double seconds, std::uint64_t runs) {
  report::Phase& p = session.phase("libFuzzer");
  std::vector<ProgramRun> running;
  std::vector<fs::path> homes;
  const std::uint64_t k = session.parts_of("libFuzzer"), homes_before = entries(part).size();
  for (const FuzzTarget& target : group) {
    const std::uint64_t number = homes_before + homes.size();
    homes.push_back(part / fmt::format("{}-{}", target.file(), number));
    make_folder(homes.back() / "findings");
    make_folder(inputs_of_part(part, target));
    const std::uint64_t seed = session.seed_of("libFuzzer", k << 8 ^ number);
    link_inputs(session, target, homes.back() / begin_folder, most_to_read(target, seconds, runs),
                seed);
    running.emplace_back(command_of(session, target, homes.back(), seed, seconds, runs),
                         surroundings_of(session, homes.back()), homes.back());
  }
  const double started = session.elapsed();
  // One that hangs outside of any input knows no time-out.
  const double most =
      runs > 0 ? session.options().case_timeout * (10 + static_cast<double>(runs)) : seconds;
  wait_for(running, most, session.stop_asked());
  const double took = session.elapsed() - started;
  p.seconds += took;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ProgramEnding& ending = running[i].ending();
    const std::uint64_t n = executions_of(homes[i]);
    (group[i].reader ? read_ : p.cases) += n;
    if (!group[i].reader && seconds > 0 && had_its_turn(ending))
      speed_[group[i].name] = std::max(1.0, static_cast<double>(n)) / seconds;
    if (silent_.note_turn(session, group[i], ending, n, took, homes[i]))
      look_at_ending(session, group[i], ending, homes[i]);
    gather_inputs(session, group[i], part);
  }
}

std::optional<std::uint64_t> Fuzzers::turn(Session& session, double seconds, std::uint64_t runs) {
  const fs::path part = fs::absolute(session.fresh_part("libFuzzer"));
  make_folder(part);
  const auto kept = [&] {
    std::uint64_t n = 0;
    for (const FuzzTarget& t : properties_) n += entries(inputs_of_night(session, t)).size();
    return n;
  };
  const std::uint64_t before = kept();
  const std::size_t jobs = std::max(1U, session.options().jobs);
  const std::vector<FuzzTarget> todo = runs > 0 ? all_ : due(jobs);
  const bool reading = todo.front().reader;
  for (std::span<const FuzzTarget> rest = todo; !rest.empty() && !session.stopping();) {
    const std::size_t n = std::min(jobs, rest.size());
    run_together(session, rest.first(n), part, seconds, runs);
    rest = rest.subspan(n);
  }
  confirm(session, part, seconds);
  session.save();
  if (reading) return std::nullopt;
  return kept() - before;
}

}  // namespace ulpfuzz::nightly
