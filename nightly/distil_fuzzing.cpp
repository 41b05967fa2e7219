#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "budget.hpp"
#include "files.hpp"
#include "fuzzer_findings.hpp"
#include "fuzzer_inputs.hpp"
#include "phases.hpp"
#include "program_run.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// One target's inputs of all nights: reduced by the target, or, where that does not come to its
/// end, as they are.
class Reduction {
 public:
  Reduction(Session& session, const FuzzTarget& target, const fs::path& part)
      : target_(target),
        found_(inputs_of_night(session, target)),
        old_(inputs_of_corpus(session, target)),
        kept_(fs::absolute(session.options().out) / "fuzzing-kept" / target.file()),
        home_(part / ("merge-" + target.file())) {
    for (const fs::path& file : session.listed(old_)) {
      read_ += file.filename().string() + "\n";
      ++old_files_;
    }
    make_folder(home_ / "findings");
    make_folder(home_ / "merged");
  }

  const FuzzTarget& target() const { return target_; }
  const fs::path& home() const { return home_; }

  std::vector<std::string> command(const Session& session) const {
    std::vector<std::string> words = usual_command(session, target_, home_);
    words.emplace_back("-merge=1");
    words.push_back("-merge_control_file=" + (home_ / "control").string());
    words.push_back((home_ / "merged").string());
    if (old_files_ > 0) words.push_back(old_.string());
    words.push_back(found_.string());
    return words;
  }

  /// True if it was reduced.
  bool keep(const ProgramEnding& ending) const {
    const auto merged = entries(home_ / "merged");
    const bool whole =
        ending.how == ProgramEnding::How::exited && ending.code == 0 && !merged.empty();
    // With this list what is not kept leaves the corpus: it is there as long as all is that is
    // kept.
    const fs::path list = kept_.string() + ".read.txt";
    std::error_code error;
    fs::remove(list, error);
    fs::remove_all(kept_, error);
    make_folder(kept_);
    if (whole) {
      for (const fs::path& file : merged) nightly::copy_file(file, kept_ / file.filename());
      write_file_atomically(list, read_);
    } else {
      add_what_fits();
    }
    return whole;
  }

 private:
  void add_what_fits() const {
    std::size_t n = old_files_;
    std::error_code error;
    for (const fs::path& file : entries(found_))
      if (n < most_inputs && !fs::exists(old_ / file.filename(), error)) {
        nightly::copy_file(file, kept_ / file.filename());
        ++n;
      }
  }

  const FuzzTarget& target_;
  fs::path found_, old_, kept_, home_;
  std::string read_;  ///< names of the files in old_
  std::size_t old_files_ = 0;
};

constexpr double most_by_cases = 600;  // seconds, in a night that counts cases

/// Seconds until the night wants its reports.
double rest(const Session& session) {
  if (!session.by_time()) return most_by_cases;
  return session.left() - part_of_report * session.options().seconds;
}

std::size_t reduce(Session& session, std::vector<Reduction>& todo) {
  const std::size_t jobs = std::max(1U, session.options().jobs);
  std::size_t reduced = 0;
  for (std::size_t first = 0; first < todo.size(); first += jobs) {
    const std::size_t end = std::min(first + jobs, todo.size());
    std::vector<ProgramRun> running;
    for (std::size_t i = first; i < end && rest(session) > 0 && !session.stopping(); ++i)
      running.emplace_back(todo[i].command(session), surroundings_of(session, todo[i].home()),
                           todo[i].home());
    wait_for(running, rest(session), session.stop_asked());
    for (std::size_t i = first; i < end; ++i)
      if (todo[i].keep(i - first < running.size() ? running[i - first].ending() : ProgramEnding{}))
        ++reduced;
  }
  return reduced;
}

}  // namespace

void distil_fuzzing(Session& session) {
  if (session.stopping()) return;
  const Fuzzers fuzzers(session);
  const fs::path part = fs::absolute(session.fresh_part("libFuzzer"));
  std::vector<Reduction> todo;
  for (const FuzzTarget& target : fuzzers.all())
    if (!entries(inputs_of_night(session, target)).empty())
      todo.emplace_back(session, target, part);
  if (todo.empty()) return;
  const std::size_t reduced = reduce(session, todo);
  confirm(session, part, session.by_time() ? std::max(1.0, rest(session)) : 0);
  renew_note(session.phase("distil"), "inputs of ",
             fmt::format("{} of {} libFuzzer targets reduced{}", reduced, todo.size(),
                         reduced < todo.size() ? ", the others are kept as they are" : ""));
}

}  // namespace ulpfuzz::nightly
