#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "budget.hpp"
#include "files.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "trials.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/corpus_file.hpp"
#include "ulpfuzz/search/distil.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_by_cases = 20000;  // judged in a night that counts cases

/// The distilled corpus, then what this night kept, each content once.
std::vector<GivenCase> candidates(Session& session) {
  std::vector<fs::path> folders{session.options().corpus / "distilled"};
  for (const fs::path& part : entries(session.options().out / "parts"))
    if (fs::is_directory(part / "corpus") &&
        part.filename().string().find("-libFuzzer") == std::string::npos)
      folders.push_back(part / "corpus");
  Collected all = collect(folders, session.stop_asked());
  keep_what_is_tried(session, "distil", all.cases);
  std::erase_if(all.cases, [&](const GivenCase& c) {
    return session.too_large().count(c.name.string()) != 0;
  });
  return std::move(all.cases);
}

/// Features of one property mean nothing for another, nor those of subjects.
std::uint32_t offset_of(const std::string& property, const std::string& subject,
                        std::map<std::string, std::uint32_t>& known) {
  const auto n = static_cast<std::uint32_t>(known.size());
  return known.try_emplace(property + " " + subject, n).first->second * 4096U;
}

/// `read`: names of the corpus that were judged, of which those that are not chosen can go.
void write_chosen(Session& session, const std::vector<GivenCase>& cases,
                  const std::vector<std::size_t>& chosen, const std::string& read) {
  const fs::path folder = session.options().out / "distilled";
  make_folder(folder);
  write_file_atomically(folder / "read.txt", read);
  for (const std::size_t i : chosen) {
    const CaseFile& c = cases[i].content;
    const fs::path to =
        folder / corpus_file_name(c.value, c.notes.at("property"), cases[i].subject);
    if (cases[i].name.extension() == ".case")
      nightly::copy_file(cases[i].name, to);
    else
      write_case(to, c);
  }
}

}  // namespace

void distil(Session& session) {
  report::Phase& p = session.phase("distil");
  if (p.state == report::Phase::State::done || session.stopping()) return;
  const double began = session.elapsed();
  p.budget = part_of_distil * session.options().seconds;
  std::vector<GivenCase> cases = candidates(session);
  if (!session.by_time() && cases.size() > most_by_cases) cases.resize(most_by_cases);
  std::vector<Trial> trials;
  for (const GivenCase& c : cases)
    trials.push_back({&c.content, properties::find(c.content.notes.at("property")),
                      session.judges().find(c.subject)});
  TrialOptions o;
  o.jobs = session.options().jobs;
  o.case_timeout = session.options().case_timeout;
  o.memory_limit = session.options().memory_limit;
  o.cancelled = [&] {
    return session.stopping() || (session.by_time() && session.elapsed() > began + p.budget);
  };
  const auto shown = judge_all(trials, o);
  const fs::path old = session.options().corpus / "distilled";
  std::string read;
  std::map<std::string, std::uint32_t> pairs;
  std::vector<search::Candidate> all;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!shown[i]) continue;
    if (cases[i].name.parent_path() == old) read += cases[i].name.stem().string() + "\n";
    if (shown[i]->failed) continue;
    const std::uint32_t offset =
        offset_of(cases[i].content.notes.at("property"), cases[i].subject, pairs);
    search::Candidate c;
    for (const std::uint32_t f : shown[i]->features) c.features.push_back(offset + f);
    std::error_code error;
    c.cost = fs::file_size(cases[i].name, error);
    all.push_back(std::move(c));
    index.push_back(i);
  }
  std::vector<std::size_t> chosen;
  for (const std::size_t a : search::distil(all)) chosen.push_back(index[a]);
  try {
    write_chosen(session, cases, chosen, read);
  } catch (const FileError& failed) {
    session.error(failed.what());
  }
  session.night().corpus = chosen.size();
  session.night().corpus_added =
      static_cast<std::uint64_t>(std::count_if(chosen.begin(), chosen.end(), [&](std::size_t i) {
        return cases[i].name.parent_path() != old;
      }));
  p.cases = all.size();
  p.seconds += session.elapsed() - began;
  p.state = session.stopping() ? report::Phase::State::cut : report::Phase::State::done;
  add_note(p, fmt::format("{} of {} cases have all features", chosen.size(), cases.size()));
  session.save();
}

}  // namespace ulpfuzz::nightly
