#include <fmt/format.h>

#include <array>

#include "boundary_parts.hpp"
#include "boundary_turn.hpp"
#include "boundary_words.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr std::uint8_t places = 16;

struct Buffers {
  std::uint8_t Layout::*offset;
  const char* name;
  const char* whose;
};
constexpr std::array<Buffers, 2> buffers{
    {{&Layout::batch_offset, "batch alignment", "the batch's buffers"},
     {&Layout::slice_offset, "slice alignment", "the slices' buffers"}}};

class Offsets {
 public:
  Offsets(Asker& asker, const Buffers& which) : asker_(asker), which_(which) {
    own_ = asker.failing().value.layout.*which.offset;
    states_.fill(Reading::State::unknown);
    states_[own_] = Reading::State::fails;
  }

  /// Does any of the offsets pass at which a kernel for 8, 16, 32 or 64 bytes parts from one for
  /// less? Where they all fail, asking for the others would be in vain.
  bool matter() {
    for (const std::uint8_t offset : std::array<std::uint8_t, 4>{0, 1, 4, 8}) {
      if (read(offset) == Reading::State::passes) return true;
    }
    return false;
  }

  void report(std::vector<Boundary>& found) {
    for (std::uint8_t offset = 0; offset < places; ++offset) read(offset);
    const int step = own_ > 0 ? -1 : 1;
    int near = own_ + step;
    while (states_[static_cast<std::size_t>((near + places) % places)] != Reading::State::passes)
      near += step;
    found.push_back(
        {which_.name,
         fmt::format("fails where {} start {} floats after a 64-byte boundary, passes at {}",
                     which_.whose, list(Reading::State::fails), list(Reading::State::passes)),
         fmt::format("{}", own_), fmt::format("{}", (near + places) % places)});
  }

 private:
  Reading::State read(std::uint8_t offset) {
    Reading::State& state = states_[offset];
    if (state != Reading::State::unknown || asker_.spent()) return state;
    Case c = asker_.failing().value;
    c.layout.*which_.offset = offset;
    const Verdict v = asker_.ask(c);
    if (asker_.alike(v)) state = Reading::State::fails;
    if (asker_.passes(v)) state = Reading::State::passes;
    return state;
  }

  // "0, 4, 8..11"
  std::string list(Reading::State wanted) const {
    std::vector<bool> is;
    for (const Reading::State state : states_) is.push_back(state == wanted);
    return runs(is);
  }

  Asker& asker_;
  const Buffers& which_;
  std::uint8_t own_;
  std::array<Reading::State, places> states_;
};

}  // namespace

void alignment_boundaries(Asker& asker, std::vector<Boundary>& found) {
  for (const Buffers& which : buffers) {
    Offsets offsets(asker, which);
    if (offsets.matter()) offsets.report(found);
  }
}

}  // namespace ulpfuzz::shrinking
