#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fold.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"
#include "ulpfuzz/runner/signals.hpp"

namespace ulpfuzz::nightly {

/// In the order of the work.
inline constexpr std::array phase_names{"self-check", "regressions", "replay", "random", "search",
                                        "libFuzzer",  "shrink",      "distil", "report"};

/// A night at work: what was asked, what is known by now, and the folder that it is in. After each
/// part all of it is in night.json, from which a killed night goes on.
class Session {
 public:
  /// Begins a night in `options.out`, or takes up the one that is there. Throws FileError for a
  /// folder that cannot be used or that another night works in, std::invalid_argument for one that
  /// holds a night already, or, to go on in, none that fits.
  Session(const NightlyOptions& options, const Registry& subjects);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const NightlyOptions& options() const { return options_; }
  const Registry& subjects() const { return subjects_; }
  /// The same, judged by the night's claim if it has one.
  const Registry& judges() const { return options_.claim.empty() ? subjects_ : judged_; }
  report::Night& night() { return night_; }
  /// Buckets whose kept case was replayed this night, and passes.
  std::vector<std::string>& passing() { return passing_; }

  report::Phase& phase(const std::string& name);
  /// Seconds since the night began; what passed between a kill and --resume does not count.
  double elapsed() const;
  /// Seconds of the night that are left; as many as one likes where it is counted in cases.
  double left() const;
  /// Seconds of them that what comes after shrinking needs.
  double kept_for_the_end() const;
  bool by_time() const { return options_.seconds > 0; }
  bool stopping() const { return night_.interrupted || signals_.requests() > 0; }
  std::function<bool()> stop_asked() const;

  /// A line for people.
  void say(const std::string& line) const;
  /// Infrastructure failed: said, kept, and the night's exit code.
  void error(const std::string& text);
  /// entries() of a folder that the night can do without: one that cannot be read is an error.
  std::vector<std::filesystem::path> listed(const std::filesystem::path& folder);

  /// A number that depends on the seed, the shard and these two alone.
  std::uint64_t seed_of(const std::string& phase, std::uint64_t k) const;
  /// A fresh folder parts/NN-PHASE or parts/NN-PHASE.k.
  std::filesystem::path fresh_part(const std::string& phase) const;
  std::uint64_t parts_of(const std::string& phase) const;  ///< that are there

  /// Options of a campaign as the night was asked to run it.
  CampaignOptions usual();
  /// Runs a campaign as a part of a phase and folds it in. Errors of the disk become errors of the
  /// night. Given cases that are too large to compute are left out, and named in the phase's note.
  CampaignResult campaign(const std::string& phase, CampaignOptions options, Fold what);
  /// Of what targets of libFuzzer wrote down in a part, all that the night does not know is a
  /// bucket: one that nobody ran again, or a flaky one, which passes. Closes the part.
  enum class Left { not_tried, passes };
  void take_up_fuzzing(const std::filesystem::path& part, Left left = Left::not_tried);
  /// A part that is no campaign is in the night by now.
  void part_is_done(const std::filesystem::path& part);
  /// Case files that a campaign refused as too large to compute.
  const std::set<std::string>& too_large() const { return too_large_; }

  /// night.json, as all is now; while the night runs, summary.json, too.
  void save();
  /// Gives back the space that was kept so that a full disk has room for the reports.
  void use_reserve();

 private:
  void lock();
  void begin();
  void resume();
  void reserve();
  void take_up(const std::filesystem::path& part);
  void fold_in(const CampaignResult& result, const std::string& phase, Fold what, double began);

  NightlyOptions options_;
  const Registry& subjects_;
  Registry judged_;
  SignalGuard signals_;
  std::optional<FolderLock> lock_;
  report::Night night_;
  std::vector<std::string> passing_, folded_;
  std::map<std::string, std::string> here_;  ///< asked_here() as the night began
  double before_ = 0;                        ///< seconds that earlier runs of this night took
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::set<std::string> too_large_;
  std::set<std::string> said_;  ///< buckets that people were told of
};

/// "random" of parts/04-random.2
std::string phase_of(const std::filesystem::path& part);

/// How findings of a phase count: Fold of campaigns of that name.
Fold fold_of(const std::string& phase);

/// A sentence at the end of a note.
void add_note(report::Phase& phase, const std::string& sentence);
/// In the place of the one with that beginning, which counted less, before --resume.
void renew_note(report::Phase& phase, const std::string& begin, const std::string& rest);

}  // namespace ulpfuzz::nightly
