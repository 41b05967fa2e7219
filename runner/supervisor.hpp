#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bucket_book.hpp"
#include "climber.hpp"
#include "over_time.hpp"
#include "plan.hpp"
#include "progress.hpp"
#include "shared_state.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/runner/signals.hpp"

namespace ulpfuzz {

/// The parent of a campaign's workers: starts them, takes their messages, finds out why one died,
/// restarts it after the case that killed it, and stops them all in the end. A subject whose cases
/// leave process after process unusable gets no more of them. Single-threaded, and never evaluates,
/// so that what it forks can use a device.
class Supervisor {
 public:
  Supervisor(const CampaignOptions& options, const Plan& plan, const Climbs& climbs,
             Environment environment);
  /// Until all workers are done.
  void run();
  /// What is known so far.
  CampaignResult result() const;
  void add_error(const std::string& text);

 private:
  struct Process {
    process::Child child;
    std::string inbox;
    bool running = false;
    bool silent = false;                         ///< its pipe is closed; it has yet to end
    std::optional<process::Ending::How> killed;  ///< from here, and why
    std::optional<Suspect> suspect;              ///< for its successor
    std::uint64_t lost_at = ~std::uint64_t{0};   ///< case of the last death
    std::int64_t began = 0;                      ///< the case in hand, as its slot says
    double cpu_then = 0;                         ///< seconds that it had worked by then
  };

  void start(std::size_t w, std::uint64_t first, std::optional<Suspect> suspect);
  void wait_for_news();
  void read(std::size_t w);
  void take(std::size_t w, const std::string& line);
  void reap(std::size_t w);
  void ended(std::size_t w, const process::Ending& ending);
  Suspect suspect_of(std::size_t w, const process::Ending& ending);
  void note_wrecks(const Subject& subject);
  void look_for_hangs();
  double patience(std::size_t pair) const;
  bool takes_too_long(Process& p, const Slot& slot, std::int64_t now) const;
  void look_for_reasons_to_stop();
  void draw_progress();
  void save_interim();
  void note_statistics();
  bool any_running() const;

  /// Cases of a subject that left a process which could not go on.
  struct Wrecks {
    std::uint64_t all = 0;
    std::uint64_t survived = 0;  ///< other cases
    std::uint64_t before = 0;    ///< of `all`: before a case that was survived
  };

  const CampaignOptions& options_;
  const Plan& plan_;
  const Climbs& climbs_;
  Environment environment_;
  std::string environment_line_;
  SharedState state_;
  Progress progress_;
  BucketBook book_;
  OverTime over_time_;
  SignalGuard signals_;
  std::vector<Process> workers_;
  std::vector<std::string> errors_;
  std::map<std::size_t, unsigned> hangs_;  ///< by pair
  std::map<std::string, Wrecks, std::less<>> wrecks_;
  std::map<std::string, std::string> stopped_;  ///< subjects: why
  std::map<std::string, std::uint64_t> vacuous_, skip_;
  process::Clock::time_point began_ = process::Clock::now();
  process::Clock::time_point deadline_ = process::Clock::time_point::max();
  std::int64_t looked_ = 0;   ///< last turn of the loop
  std::int64_t resumed_ = 0;  ///< after this process itself was stopped
  std::int64_t weighed_ = 0;  ///< last look at the memory of workers
  double drawn_ = 0, saved_ = 0;
  double asked_to_stop_ = 0;  ///< seconds after the start; 0: not yet
  std::size_t saved_buckets_ = 0;
  std::uint64_t drawn_cases_ = 0;
  std::uint64_t mutations_before_ = 0, cases_before_ = 0;  ///< at the last line of statistics
  bool abandoned_ = false;
};

/// The numbers of a result, summed over workers.
void collect_counts(CampaignResult& result, const Plan& plan, const SharedState& state,
                    std::size_t workers);

}  // namespace ulpfuzz
