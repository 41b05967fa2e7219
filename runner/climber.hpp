#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan.hpp"
#include "shared_state.hpp"
#include "ulpfuzz/search/pool.hpp"

namespace ulpfuzz {

/// What climbing begins with, and memory for the cases that workers keep. Made by the parent before
/// it forks: whatever becomes of a worker, its successor has them.
class Climbs {
 public:
  /// Nothing where the campaign neither climbs nor keeps cases. Throws FileError for seeds that do
  /// not exist; says to `say` how many cannot be read.
  Climbs(const CampaignOptions& options, const Plan& plan,
         const std::function<void(const std::string&)>& say);
  ~Climbs();
  Climbs(const Climbs&) = delete;
  Climbs& operator=(const Climbs&) = delete;

  /// Of the worker; -1: none.
  int file(std::size_t worker) const { return files_.empty() ? -1 : files_[worker]; }
  /// For a pair, in the order in which the worker takes them.
  const std::vector<std::uint32_t>& seeds(std::size_t worker, std::size_t pair) const {
    return seeds_[worker][pair];
  }
  const Case& seed(std::uint32_t number) const { return cases_[number]; }
  std::uint64_t seeds() const { return cases_.size(); }
  std::uint64_t unreadable() const { return unreadable_; }  ///< files

 private:
  std::vector<int> files_;
  std::vector<Case> cases_;
  std::uint64_t unreadable_ = 0;
  std::vector<std::vector<std::vector<std::uint32_t>>> seeds_;  ///< [worker][pair]
};

/// Where the choices for the case of a turn come from.
generators::SeedSource source_of(const CampaignOptions& options, std::uint64_t turn);

/// The worker's part of a campaign that climbs, or that keeps cases. All that it must not lose is
/// in memory of the parent: a successor gives the same cases.
class Climber {
 public:
  Climber(const CampaignOptions& options, const Plan& plan, SharedState& state,
          const Climbs& climbs, std::size_t worker);
  ~Climber();

  bool climbs() const { return options_.search == Search::climb; }
  /// The case of a turn. Until it is settled, a successor that asks is given the same.
  Case next(std::uint64_t turn);
  /// Is it of kept ones? Of the case given last.
  bool climbed() const { return climbed_; }
  /// The verdict of the case of a turn. Every case has one settled, also one that a process died
  /// of.
  void settle(std::uint64_t turn, const Case& c, const Verdict& verdict);
  /// Writes what was worth keeping since the last time. Throws FileError.
  void write();
  /// Is it time to?
  bool is_due(std::uint64_t turn) const;

 private:
  class Store;
  search::Pool& pool(std::size_t pair);

  const CampaignOptions& options_;
  const Plan& plan_;
  SharedState& state_;
  const Climbs& from_;
  const std::size_t worker_;
  std::unique_ptr<Store> store_;
  std::vector<std::unique_ptr<search::Pool>> pools_;
  bool climbed_ = false, seeded_ = false;
  bool unwritten_ = true;  ///< perhaps
};

}  // namespace ulpfuzz
