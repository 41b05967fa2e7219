#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::gpu {

/// Floats of a red zone, and the alignment of what lies between red zones: 256 bytes.
inline constexpr std::size_t zone = 64;

constexpr std::size_t whole_zones(std::size_t floats) { return (floats + zone - 1) / zone * zone; }

/// What a piece of device memory holds.
struct Owner {
  enum class Kind : std::uint8_t { input, parameter, value, scratch };
  Kind kind = Kind::value;
  std::uint32_t index = 0;  ///< of the input or parameter; else the node
  const Network* network = nullptr;

  /// "value of node 3 (linear)"
  std::string describe() const;
};

/// Pieces of memory one behind the other, with a red zone before and after each.
class Region {
 public:
  struct Piece {
    std::size_t offset, floats;
    Owner owner;
  };

  void clear();
  /// Where the piece begins, in floats from the region's start: a multiple of a zone.
  std::size_t place(std::size_t floats, Owner owner);
  /// All of it; ends with a zone.
  std::size_t size() const { return size_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::size_t size_ = zone;
  std::vector<Piece> pieces_;
};

/// Memory of a device, handed out front to back and taken back all at once, and the red zones in
/// it. Grows by allocating another chunk, so that nothing in use moves.
class Memory {
 public:
  explicit Memory(kernels::Device& device) : device_(device) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Takes everything back. Nothing that uses it may be queued.
  void clear();
  /// Aligned to 256 bytes, uninitialised.
  float* take(std::size_t floats);
  /// A poisoned piece with red zones.
  float* take_guarded(std::size_t floats, Owner owner);
  /// The pieces of a region that begins at `base`, a piece of memory taken last.
  void guard(const Region& region, const float* base);
  /// Memory that calls on one stream share, at least so large; kept from evaluation to evaluation.
  void* workspace(unsigned stream, std::size_t bytes);

  /// Queues the check of all zones.
  void check();
  /// After it: throws SubjectFault (FailureClass::out_of_bounds) for the first changed zone.
  void judge(std::string_view subject) const;

 private:
  struct Chunk {
    float* base;
    std::size_t floats;
    std::size_t used = 0;
  };
  struct Zone {
    std::size_t chunk;
    bool behind;
    Owner owner;
  };
  struct Workspace {
    void* base = nullptr;
    std::size_t bytes = 0;
  };
  void guard(const float* begin, std::size_t floats, Owner owner);
  void allocate(std::size_t floats);

  kernels::Device& device_;
  std::vector<Chunk> chunks_;
  std::vector<Workspace> workspaces_;  ///< one a stream
  std::vector<void*> outgrown_;        ///< workspaces that queued work may still use
  std::vector<Zone> zones_;
  std::vector<std::uint64_t> starts_;  ///< of zones, in floats from the base of their chunk
  std::vector<std::uint32_t> first_;
};

}  // namespace ulpfuzz::gpu
