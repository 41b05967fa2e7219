// The mutator of AFL++: AFL_CUSTOM_MUTATOR_LIBRARY, with the changes of cases that libFuzzer makes.
// ULPFUZZ_PROPERTY names the property whose limits hold; batched_vs_sliced without.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "decode.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace {
using namespace ulpfuzz;

constexpr unsigned crossings_percent = 10;
constexpr std::int32_t most_trims = 200;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed, 0) {
    const char* property = std::getenv("ULPFUZZ_PROPERTY");
    if (property != nullptr && std::string_view(property) == "loop_vs_vectorized")
      limits_ = generators::gradient_limits();
  }

  std::span<const std::uint8_t> fuzz(std::span<const std::uint8_t> input,
                                     std::span<const std::uint8_t> other, std::size_t most) {
    const bool cross = !other.empty() && random_.chance(crossings_percent);
    const std::uint64_t seed = random_.next();
    out_ = cross ? fuzz::crossed(input, other, most, seed, limits_)
                 : fuzz::changed(input, most, seed, limits_, nullptr);
    return out_;
  }

  // Trimming is what the shrinker does, large steps first.
  std::int32_t begin_trimming(std::span<const std::uint8_t> input) {
    case_ = fuzz::decoded(input, limits_);
    size_ = input.size();
    step_ = 0;
    at_ = 0;
    edits_ = generators::simpler(*case_);
    return next_step();
  }
  std::span<const std::uint8_t> trimmed() {
    out_ = fuzz::encoded(edits_[at_].apply());
    return out_;
  }
  std::int32_t after_trimming(bool success) {
    ++step_;
    if (success) {
      case_ = fuzz::decoded(std::vector(out_), limits_);
      size_ = out_.size();
      edits_ = generators::simpler(*case_);
    } else {
      ++at_;
    }
    return next_step();
  }

 private:
  // Goes to the next edit that makes the input shorter, and says how many steps are done; AFL++
  // ends at most_trims.
  std::int32_t next_step() {
    if (at_ >= edits_.size()) at_ = 0;
    for (std::size_t tries = 0; tries < 64 && at_ < edits_.size(); ++tries, ++at_)
      if (fuzz::encoded(edits_[at_].apply()).size() < size_) return step_;
    return most_trims;
  }

  generators::Limits limits_;
  generators::SeedSource random_;
  std::vector<std::uint8_t> out_;
  std::optional<Case> case_;
  std::vector<generators::Edit> edits_;  ///< of case_
  std::size_t at_ = 0, size_ = 0;
  std::int32_t step_ = 0;
};

Mutator& of(void* data) { return *static_cast<Mutator*>(data); }

std::size_t give(std::span<const std::uint8_t> bytes, std::uint8_t** out) {
  *out = const_cast<std::uint8_t*>(bytes.data());  // AFL++ only reads it
  return bytes.size();
}

}  // namespace

#define ULPFUZZ_EXPORT extern "C" __attribute__((visibility("default")))

ULPFUZZ_EXPORT void* afl_custom_init(void*, unsigned seed) { return new Mutator(seed); }
ULPFUZZ_EXPORT void afl_custom_deinit(void* data) { delete &of(data); }

ULPFUZZ_EXPORT std::size_t afl_custom_fuzz(void* data, std::uint8_t* input, std::size_t size,
                                           std::uint8_t** out, std::uint8_t* other,
                                           std::size_t other_size, std::size_t most) {
  const std::size_t others = other == nullptr ? 0 : other_size;
  return give(of(data).fuzz({input, size}, {other, others}, most), out);
}

ULPFUZZ_EXPORT std::int32_t afl_custom_init_trim(void* data, std::uint8_t* input,
                                                 std::size_t size) {
  return most_trims - of(data).begin_trimming({input, size});
}
ULPFUZZ_EXPORT std::size_t afl_custom_trim(void* data, std::uint8_t** out) {
  return give(of(data).trimmed(), out);
}
ULPFUZZ_EXPORT std::int32_t afl_custom_post_trim(void* data, unsigned char success) {
  return of(data).after_trimming(success != 0);
}
