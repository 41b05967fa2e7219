#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::search {

/// Where search has climbed to, without the cases: plain numbers that may lie in memory that
/// processes share, so that one goes on where another ended. All zeros: nowhere yet.
struct Heights {
  /// Sound or probabilistic bound; linear .. rms_norm; batch above 8 or not; width above 16 or not.
  static constexpr std::size_t tiers = 2, ops = 16, sizes = 4;
  static constexpr std::size_t most_cells = tiers * ops * sizes;
  static constexpr std::size_t ways = 2;  ///< drawn anew, climbed
  struct Cell {
    double share = 0;                           ///< of the case it keeps; 0: none
    std::uint32_t level = 0;                    ///< of `share`
    bool fresh = false;                         ///< rose, and nobody has written its case since
    std::uint64_t tried = 0, rose = 0;          ///< its offspring; those of them that rose
    std::uint64_t at = 0, bytes = 0, room = 0;  ///< of its case, for whoever keeps it
  };
  std::array<Cell, most_cells> cells{};
  std::uint64_t offered = 0;
  std::array<double, ways> yield{};  ///< recent rises a case
};

/// Where search has climbed to, for one property on one subject: for each op, class of size and
/// tier of the bound, the case with the largest share that has the op and does not fail.
/// Deterministic: which case it offers depends on what it was given, in order, and on the source
/// alone.
class Pool {
 public:
  /// Whoever keeps cases beyond the pool's life.
  class Store {
   public:
    virtual ~Store() = default;
    virtual void put(const Case& c, Heights::Cell& cell) = 0;
    /// What put() was given last for the cell; nothing if it is lost.
    virtual std::optional<Case> get(const Heights::Cell& cell) = 0;
  };

  Pool();
  /// Goes on at `heights`, whose cases `store` has; both must outlive the pool.
  Pool(Heights& heights, Store& store) : heights_(&heights), store_(&store) {}

  /// Settles the case that next() gave last, or takes in another one. Cases that fail are never
  /// kept: they must not become seeds. True if the case rose a cell by at least a mark of the
  /// thermometer: worth keeping on disk.
  bool offer(const Case& c, const Verdict& verdict);
  /// A new case to try: most often a mutation of a kept case, those of large share and of late
  /// success preferred, sometimes two of them crossed, and one drawn anew with a chance that
  /// follows the recent yield of both ways. Always drawn anew while the pool is empty. Asked again
  /// with the same source before the next offer(), it gives the same case.
  Case next(generators::Source& source, const generators::Limits& limits);
  /// Whether the case given last was drawn anew.
  bool drawn() const { return !parent_; }
  std::size_t size() const;
  const Heights& heights() const { return *heights_; }
  /// What a cell keeps; null if it is lost.
  const Case* value(std::size_t cell);

 private:
  bool keep(std::size_t cell, const std::shared_ptr<const Case>& c, double share);
  void settle(double rise);
  std::optional<std::size_t> choose(generators::Source& source) const;
  Case changed(const Case& parent, generators::Source& source, const generators::Limits& limits);

  std::unique_ptr<Heights> own_;
  Heights* heights_;
  Store* store_ = nullptr;
  std::vector<std::shared_ptr<const Case>> values_{Heights::most_cells};
  bool given_ = false;                 ///< next() gave a case that is not settled
  std::optional<std::size_t> parent_;  ///< cell that the case given last is from
};

}  // namespace ulpfuzz::search
