#include "fuzzer_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <system_error>
#include <utility>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// Of a property, for one turn of the search: a second of evaluations on all subjects.
constexpr std::size_t most_fresh = 128;

/// Another few each night: names are hashes.
std::vector<fs::path> some(std::vector<fs::path> files, std::uint64_t seed) {
  if (files.size() <= most_fresh) return files;
  const auto from = static_cast<std::ptrdiff_t>(seed % files.size());
  std::rotate(files.begin(), files.begin() + from, files.end());
  files.resize(most_fresh);
  return files;
}

/// The fuzzer gets on: the latest are the worst.
std::vector<fs::path> latest(const std::vector<fs::path>& files) {
  std::vector<std::pair<fs::file_time_type, fs::path>> by_time;
  std::error_code error;
  for (const fs::path& file : files) by_time.emplace_back(fs::last_write_time(file, error), file);
  std::sort(by_time.rbegin(), by_time.rend());
  if (by_time.size() > most_fresh) by_time.resize(most_fresh);
  std::vector<fs::path> chosen;
  for (auto& [time, file] : by_time) chosen.push_back(std::move(file));
  return chosen;
}

void add_case_files(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (is_case_file(at->path()) && at->is_regular_file(error)) files.push_back(at->path());
}

std::vector<fs::path> inputs_for(Session& session, const FuzzTarget& target) {
  std::vector<fs::path> files = session.listed(inputs_of_corpus(session, target));
  for (const fs::path& file : entries(inputs_of_night(session, target))) files.push_back(file);
  const bool bare = files.empty();
  const fs::path built = target.program.parent_path().parent_path() / "fuzz/seeds" / target.name;
  if (target.reader || bare)
    for (const fs::path& file : entries(built)) files.push_back(file);
  if (target.reader) return files;
  const NightlyOptions& o = session.options();
  for (const fs::path& folder : o.seeds) add_case_files(folder, files);
  add_case_files(o.corpus / "seeds", files);
  for (const fs::path& file : session.listed(o.corpus / "distilled"))
    if (file.filename().string().find("-" + target.name + "-") != std::string::npos)
      files.push_back(file);
  return files;
}

}  // namespace

fs::path inputs_of_part(const fs::path& part, const FuzzTarget& target) {
  return part / "found" / target.file();
}

void gather_inputs(const Session& session, const FuzzTarget& target, const fs::path& part) {
  for (const fs::path& file : entries(inputs_of_part(part, target))) {
    const fs::path to = inputs_of_night(session, target) / file.filename();
    std::error_code error;  // of what is no file, as a target might leave it
    if (fs::is_regular_file(file, error) && !fs::exists(to, error)) nightly::copy_file(file, to);
  }
}

std::size_t link_inputs(Session& session, const FuzzTarget& target, const fs::path& folder,
                        std::size_t most, std::uint64_t seed) {
  std::vector<fs::path> files = inputs_for(session, target);
  std::shuffle(files.begin(), files.end(), std::mt19937_64(seed));
  if (files.size() > most) files.resize(most);
  make_folder(folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::error_code error;  // one that cannot be linked is one less
    fs::create_symlink(fs::absolute(files[i]), folder / fmt::format("{}", i), error);
  }
  return files.size();
}

fs::path inputs_of_night(const Session& session, const FuzzTarget& target) {
  return fs::absolute(session.options().out) / "fuzzing" / target.file();
}

fs::path inputs_of_corpus(const Session& session, const FuzzTarget& target) {
  return fs::absolute(session.options().corpus) / "fuzzing" / target.file();
}

std::vector<fs::path> FuzzedCases::fresh(Session& session, const Fuzzers& fuzzers) {
  const bool first = !std::exchange(begun_, true);
  std::vector<fs::path> cases;
  for (const FuzzTarget& target : fuzzers.properties()) {
    std::vector<fs::path> unseen = entries(inputs_of_night(session, target));
    std::erase_if(unseen, [&](const fs::path& file) { return given_.count(file) != 0; });
    given_.insert(unseen.begin(), unseen.end());
    std::vector<fs::path> chosen = latest(unseen);
    if (first) {
      const auto old =
          some(session.listed(inputs_of_corpus(session, target)), session.seed_of("libFuzzer", 0));
      chosen.insert(chosen.end(), old.begin(), old.end());
    }
    for (const fs::path& file : chosen) {
      try {
        CaseFile c = read_case(file);  // not those that are choices, or cut by a kill
        c.notes = {{"property", target.name}};
        const fs::path to = session.options().out / "fuzzed" /
                            (content_hash(c.value) + "-" + target.name + ".case");
        make_folder(to.parent_path());
        const auto bytes = to_bytes(c);
        put_file(to, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        cases.push_back(to);
      } catch (const FileError&) {
      }
    }
  }
  return cases;
}

}  // namespace ulpfuzz::nightly
