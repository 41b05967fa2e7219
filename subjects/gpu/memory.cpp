#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::gpu {
namespace {

constexpr std::size_t least_chunk = std::size_t{1} << 16;

}  // namespace

std::string Owner::describe() const {
  switch (kind) {
    case Kind::input:
      return fmt::format("input {}", index);
    case Kind::parameter:
      return fmt::format("parameter {}", index);
    case Kind::value:
      return fmt::format("value of node {} ({})", index, name(network->node(index).op));
    default:
      return fmt::format("scratch memory of node {} ({})", index, name(network->node(index).op));
  }
}

void Region::clear() {
  size_ = zone;
  pieces_.clear();
}

std::size_t Region::place(std::size_t floats, Owner owner) {
  const std::size_t offset = size_;
  pieces_.push_back({offset, floats, owner});
  size_ += whole_zones(floats) + zone;
  return offset;
}

Memory::~Memory() {
  for (void* memory : outgrown_) device_.release(memory);
  for (const Chunk& chunk : chunks_) device_.release(chunk.base);
  for (const Workspace& workspace : workspaces_)
    if (workspace.base != nullptr) device_.release(workspace.base);
}

void Memory::clear() {
  zones_.clear();
  starts_.clear();
  for (void* memory : outgrown_) device_.release(memory);
  outgrown_.clear();
  std::size_t all = 0;
  for (const Chunk& chunk : chunks_) all += chunk.floats;
  if (chunks_.size() > 1) {
    for (const Chunk& chunk : chunks_) device_.release(chunk.base);
    chunks_.clear();
    allocate(all);
  }
  for (Chunk& chunk : chunks_) chunk.used = 0;
}

void Memory::allocate(std::size_t floats) {
  chunks_.reserve(chunks_.size() + 1);
  chunks_.push_back({static_cast<float*>(device_.allocate(floats * sizeof(float))), floats});
}

float* Memory::take(std::size_t floats) {
  const std::size_t room = whole_zones(floats);
  if (chunks_.empty() || chunks_.back().floats - chunks_.back().used < room)
    allocate(std::max({room, least_chunk, chunks_.empty() ? 0 : 2 * chunks_.back().floats}));
  Chunk& chunk = chunks_.back();
  float* const begin = chunk.base + chunk.used;
  chunk.used += room;
  return begin;
}

float* Memory::take_guarded(std::size_t floats, Owner owner) {
  const std::size_t all = zone + whole_zones(floats) + zone;
  float* const base = take(all);
  device_.fill(base, unwritten_bits, all);
  guard(base + zone, floats, owner);
  return base + zone;
}

void* Memory::workspace(unsigned stream, std::size_t bytes) {
  if (workspaces_.size() <= stream) workspaces_.resize(stream + 1);
  Workspace& workspace = workspaces_[stream];
  if (workspace.base == nullptr || workspace.bytes < bytes) {
    if (workspace.base != nullptr) outgrown_.push_back(std::exchange(workspace.base, nullptr));
    workspace.base = device_.allocate(bytes);
    workspace.bytes = bytes;
  }
  return workspace.base;
}

void Memory::guard(const Region& region, const float* base) {
  for (const Region::Piece& piece : region.pieces())
    guard(base + piece.offset, piece.floats, piece.owner);
}

void Memory::guard(const float* begin, std::size_t floats, Owner owner) {
  const std::size_t chunk = chunks_.size() - 1;
  const auto start = static_cast<std::uint64_t>(begin - chunks_[chunk].base);
  zones_.push_back({chunk, false, owner});
  starts_.push_back(start - zone);
  zones_.push_back({chunk, true, owner});
  starts_.push_back(start + floats);
}

// One launch a chunk: all zones of a chunk follow each other.
void Memory::check() {
  const std::size_t zones = zones_.size();
  first_.assign(zones, 0);
  const std::size_t in_chunks = chunks_.size();
  std::size_t from = 0;
  for (std::size_t c = 0; c < in_chunks; ++c) {
    std::size_t to = from;
    while (to < zones && zones_[to].chunk == c) ++to;
    if (to == from) continue;
    const std::size_t count = to - from;
    auto* const starts = reinterpret_cast<std::uint64_t*>(take(2 * count));
    auto* const first = reinterpret_cast<std::uint32_t*>(take(count));
    device_.upload(starts, starts_.data() + from, count * sizeof(std::uint64_t));
    device_.launch(kernels::CheckZones{.base = chunks_[c].base,
                                       .starts = starts,
                                       .zones = count,
                                       .zone = zone,
                                       .bits = unwritten_bits,
                                       .first = first},
                   nullptr);
    device_.download(first_.data() + from, first, count * sizeof(std::uint32_t));
    from = to;
  }
}

// Zones of neighbours overlap: the nearer one is named.
void Memory::judge(std::string_view subject) const {
  const auto changed =
      std::find_if(first_.begin(), first_.end(), [](std::uint32_t first) { return first != zone; });
  if (changed == first_.end()) return;
  auto z = static_cast<std::size_t>(changed - first_.begin());
  const std::uint64_t at = starts_[z] + *changed;
  std::uint64_t distance = zones_[z].behind ? *changed + 1 : zone - *changed;
  if (z + 1 < zones_.size() && zones_[z].behind && zones_[z + 1].chunk == zones_[z].chunk &&
      starts_[z + 1] <= at && starts_[z + 1] + zone - at < distance) {
    ++z;
    distance = starts_[z] + zone - at;
  }
  throw SubjectFault(
      FailureClass::out_of_bounds,
      fmt::format("{} wrote outside {}: float {} {}", subject, zones_[z].owner.describe(), distance,
                  zones_[z].behind ? "behind its end" : "before its start"));
}

}  // namespace ulpfuzz::gpu
