#pragma once

#include <cstdint>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz::properties {

/// What the analysis says of one element as one path evaluates it.
struct Side {
  double reference = 0;
  double sound = 0;
  double sigma = 0;
  double local = 0;
  bounds::Judgement judgement = bounds::Judgement::no_bound;
};

inline Side side(const bounds::OutputBounds& bounds, std::size_t i) {
  return {bounds.reference[i], bounds.sound[i], bounds.sigma[i], bounds.local[i],
          bounds.judgement[i]};
}

/// Underflow is no matter of chance: the probabilistic bound does not speak of it.
inline constexpr double least_normal = 0x1p-126;

/// `refine`: the difference is larger than what is certainly allowed; the element wants its
/// tightest bound. `alarm`: within the sound, beyond the probabilistic bound.
enum class Ruling : std::uint8_t { pass, refine, alarm, fail };

struct Judged {
  Ruling ruling = Ruling::pass;
  Tier tier = Tier::none;
  FailureClass failure = FailureClass::none;
  double difference = 0;
  double sound = 0;     ///< B1 of the comparison
  double probable = 0;  ///< B2 = lambda * combined sigma

  double share_sound() const;
  double share_tightest() const;  ///< against min(B1, B2)
};

/// B1 says nothing of a value of this size.
bool is_vacuous(double sound, double reference);

/// Two paths: |(a - b) - (reference_a - reference_b)| against sound_a + sound_b and
/// lambda sqrt(sigma_a^2 + sigma_b^2). `refined`: the bounds are as tight as they get.
Judged judge_paths(float a, float b, const Side& sa, const Side& sb, double lambda, bool refined);

/// One path: |x - reference| against sound and lambda sigma.
Judged judge_reference(float x, const Side& s, double lambda, bool refined);

}  // namespace ulpfuzz::properties
