#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "budget.hpp"
#include "distillery.hpp"
#include "files.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "trials.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/corpus_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t most_by_cases = 20000;  // judged in a night that counts cases
constexpr std::size_t cases_at_once = 512;      // read, then judged: time may end at any moment

/// 10 of parts/05-search.10; the first has no number.
int turn_of(const fs::path& part) {
  const std::string number = part.extension().string();
  return number.empty() ? 1 : std::atoi(number.c_str() + 1);
}

/// The distilled corpus, then what this night kept, the latest turn first, as it began with what
/// turns before it had kept: if the time is not enough for all, the best has been looked at.
std::vector<fs::path> folders_of(const Session& session) {
  std::vector<fs::path> parts;
  for (const fs::path& part : entries(session.options().out / "parts"))
    if (fs::is_directory(part / "corpus") && phase_of(part) != "libFuzzer") parts.push_back(part);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return turn_of(a) > turn_of(b); });
  std::vector<fs::path> folders{session.options().corpus / "distilled"};
  for (const fs::path& part : parts) folders.push_back(part / "corpus");
  return folders;
}

std::uint64_t cases_in(const std::vector<fs::path>& files) {
  return static_cast<std::uint64_t>(std::count_if(files.begin(), files.end(), is_case_file));
}

class Distilling {
 public:
  explicit Distilling(Session& session)
      : session_(session),
        old_(session.options().corpus / "distilled"),
        old_files_(cases_in(session.listed(old_))),
        corpus_(folders_of(session), session.stop_asked()),
        until_(session.elapsed() + part_of_distil * session.options().seconds),
        tried_(session) {}

  void judge();
  void write();
  /// Numbers and note of the phase. Returns its state.
  report::Phase::State tell(report::Phase& phase) const;

 private:
  bool out_of_time() const { return session_.by_time() && session_.elapsed() > until_; }
  bool over() const { return session_.stopping() || out_of_time(); }
  bool is_old(const fs::path& file) const { return file.parent_path() == old_; }
  void judge(const std::vector<GivenCase>& slice);
  void take(const GivenCase& c, const Shown& shown);
  bool copied(const DistilledCase& c) const;

  Session& session_;
  const fs::path old_;
  const std::uint64_t old_files_;
  CaseReader corpus_;
  const double until_;  ///< since all files are known by name
  TriedCases tried_;
  Distillery distillery_;
  std::vector<DistilledCase> chosen_;
  std::string read_;  ///< of the old ones, those that were judged: what is not chosen can go
  std::uint64_t cases_ = 0, judged_ = 0, passed_ = 0, old_judged_ = 0;
};

void Distilling::judge() {
  while (!over()) {
    auto slice = corpus_.next(cases_at_once);
    if (slice.empty()) break;
    tried_.keep(slice);
    std::erase_if(slice, [&](const GivenCase& c) {
      return session_.too_large().count(c.name.string()) != 0;
    });
    if (!session_.by_time() && cases_ + slice.size() > most_by_cases)
      slice.resize(most_by_cases - cases_);
    cases_ += slice.size();
    judge(slice);
    if (!session_.by_time() && cases_ == most_by_cases) break;
  }
  chosen_ = distillery_.chosen();
}

void Distilling::judge(const std::vector<GivenCase>& slice) {
  std::vector<Trial> trials;
  for (const GivenCase& c : slice) trials.push_back(trial_of(session_, c));
  // By their order, whichever process was first.
  std::map<std::size_t, Shown> all;
  judge_all(trials, trial_options(session_, [this] { return over(); }),
            [&](std::size_t i, Shown&& shown) { all[i] = std::move(shown); });
  for (const auto& [i, shown] : all) take(slice[i], shown);
}

void Distilling::take(const GivenCase& c, const Shown& shown) {
  const bool old = is_old(c.name);
  ++judged_;
  if (old) {
    read_ += c.name.stem().string() + "\n";
    ++old_judged_;
  }
  if (shown.failed) return;
  ++passed_;
  const std::string& property = c.content.notes.at("property");
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(c.name, error);
  distillery_.add(property + " " + c.subject,
                  {c.name.string(),
                   corpus_file_name(c.content.value, property, c.subject),
                   old,
                   {shown.features, bytes}});
}

/// False if it is no longer there.
bool Distilling::copied(const DistilledCase& c) const {
  const fs::path to = session_.options().out / "distilled" / c.name, from = c.file;
  try {
    if (from.extension() == ".case")
      nightly::copy_file(from, to);
    else
      write_case(to, read_case(from));
    return true;
  } catch (const FileError&) {
    if (fs::exists(from)) throw;
    return false;
  }
}

void Distilling::write() {
  const fs::path folder = session_.options().out / "distilled";
  make_folder(folder);
  bool all = true;
  for (const DistilledCase& c : chosen_) all = copied(c) && all;
  // Last: until then nothing can go. Nor can it if another night has removed what was chosen here,
  // perhaps for something that this one does without.
  write_file_atomically(folder / "read.txt", all ? read_ : std::string());
}

report::Phase::State Distilling::tell(report::Phase& phase) const {
  tried_.tell(phase);
  const auto added = static_cast<std::uint64_t>(
      std::count_if(chosen_.begin(), chosen_.end(), [](const DistilledCase& c) { return !c.old; }));
  const std::uint64_t dropped = old_judged_ - (chosen_.size() - added);
  report::Night& night = session_.night();
  night.corpus = old_files_ - dropped + added;
  night.corpus_added = added;
  phase.cases = passed_;
  const std::uint64_t rest = cases_ - judged_ + corpus_.left();
  add_note(phase,
           fmt::format("{} of {} cases together show all that was seen", chosen_.size(), cases_));
  if (out_of_time() && rest > 0)
    add_note(phase, fmt::format("no time was left for {} more: those of the corpus stay", rest));
  return out_of_time() && rest > 0 ? report::Phase::State::cut : report::Phase::State::done;
}

}  // namespace

void distil(Session& session) {
  report::Phase& p = session.phase("distil");
  if (p.state == report::Phase::State::done || session.stopping()) return;
  const double began = session.elapsed();
  const double merge = session.options().fuzzers.empty() ? 0 : part_of_merge;
  p.budget = (part_of_distil + merge) * session.options().seconds;
  Distilling distilling(session);
  distilling.judge();
  try {
    distilling.write();
  } catch (const FileError& failed) {
    session.error(failed.what());
  }
  const report::Phase::State state = distilling.tell(p);
  distil_fuzzing(session);
  p.state = session.stopping() ? report::Phase::State::cut : state;
  p.seconds += session.elapsed() - began;
  session.save();
}

}  // namespace ulpfuzz::nightly
