#include "launches.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ulpfuzz::kernels::testing_support {
namespace {

constexpr std::size_t capacity = std::size_t{1} << 19, gap = 64;
constexpr std::uint32_t unwritten = 0x7fb1b1b1;  // a NaN that nothing computes

float special(std::mt19937& random) {
  using Limits = std::numeric_limits<float>;
  static constexpr std::array<float, 14> values = {
      0.0f,
      -0.0f,
      Limits::denorm_min(),
      0x1p-130f,
      -0x1.8p-127f,
      Limits::min(),
      Limits::max(),
      -Limits::max(),
      Limits::infinity(),
      -Limits::infinity(),
      0x1.fffffep-1f,
      0x1p64f,
      -0x1p-64f,
      Limits::quiet_NaN(),
  };
  return values[random() % values.size()];
}

// Moves the pointers of a launch from one memory to another.
struct Relocation {
  const float* from;
  float* to;

  template <class T>
  void operator()(const T*& p) const {
    if (p != nullptr) p = reinterpret_cast<const T*>(to + (as_floats(p) - from));
  }
  template <class T>
  void operator()(T*& p) const {
    if (p != nullptr) p = reinterpret_cast<T*>(to + (as_floats(p) - from));
  }
  static const float* as_floats(const void* p) { return static_cast<const float*>(p); }
};

template <class Use>
void each_pointer(Product& p, const Use& use) {
  use(p.a), use(p.b), use(p.bias), use(p.y);
}
template <class Use>
void each_pointer(Map& m, const Use& use) {
  use(m.x), use(m.z), use(m.y);
}
template <class Use>
void each_pointer(RowGradient& g, const Use& use) {
  use(g.v), use(g.x), use(g.y);
}
template <class Use>
void each_pointer(CheckZones& c, const Use& use) {
  use(c.base), use(c.starts), use(c.first);
}
template <class One, class Use>
void each_pointer(One& one, const Use& use) {
  if constexpr (requires { one.product; })
    each_pointer(one.product, use);
  else
    use(one.x), use(one.y);
}

Launch moved(Launch launch, const float* from, float* to) {
  std::visit([&](auto& one) { each_pointer(one, Relocation{from, to}); }, launch);
  return launch;
}

}  // namespace

Problem::Problem(std::string of) : name(std::move(of)) {
  memory.reserve(capacity);
  output(0);
}

Problem Problem::copy() const {
  Problem other(name);
  other.memory = memory;
  other.launch = moved(launch, memory.data(), other.memory.data());
  other.claim = claim;
  return other;
}

float* Problem::array(const std::vector<float>& values) {
  if (memory.size() + values.size() + gap > capacity) throw std::length_error(name);
  const std::size_t at = memory.size();
  memory.insert(memory.end(), values.begin(), values.end());
  output(0);
  while (memory.size() % 4 != 0) memory.pop_back();  // arrays begin at multiples of 16 bytes
  return memory.data() + at;
}

float* Problem::array(std::size_t count, std::mt19937& random, Values values) {
  std::normal_distribution<float> normal;
  std::vector<float> drawn(count);
  for (float& v : drawn)
    v = values == Values::special && random() % 8 == 0 ? special(random) : normal(random);
  return array(drawn);
}

float* Problem::output(std::size_t count) {
  if (memory.size() + count + gap > capacity) throw std::length_error(name);
  const std::size_t at = memory.size();
  memory.insert(memory.end(), count + gap - count % 4, std::bit_cast<float>(unwritten));
  return memory.data() + at;
}

std::vector<float> run(Device& device, const Problem& problem) {
  const std::size_t bytes = problem.memory.size() * sizeof(float);
  const std::size_t floats = workspace_floats(problem.launch);
  auto* const memory = static_cast<float*>(device.allocate(bytes));
  auto* const workspace =
      floats == 0 ? nullptr : static_cast<float*>(device.allocate(floats * sizeof(float)));
  std::vector<float> result(problem.memory.size());
  device.upload(memory, problem.memory.data(), bytes);
  if (workspace != nullptr) device.fill(workspace, unwritten, floats);
  device.launch(moved(problem.launch, problem.memory.data(), memory), workspace);
  device.download(result.data(), memory, bytes);
  device.synchronize();
  device.release(memory);
  if (workspace != nullptr) device.release(workspace);
  return result;
}

std::string difference(const Problem& problem, const std::vector<float>& a,
                       const std::vector<float>& b) {
  const Claim& claim = problem.claim;
  const bool exact = claim.absolute == 0 && claim.relative == 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i])) continue;
    // Which NaN is computed may differ, but not whether one is.
    const bool computed = std::bit_cast<std::uint32_t>(a[i]) != unwritten &&
                          std::bit_cast<std::uint32_t>(b[i]) != unwritten;
    if (computed && std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double limit = 0x1p-24 * (claim.absolute + claim.relative * std::fabs(double{b[i]}));
    if (!exact && std::fabs(double{a[i]} - double{b[i]}) <= limit + 0x1p-145) continue;
    return fmt::format("{}: float {}: {:a} and {:a}, from {:a}", problem.name, i, a[i], b[i],
                       problem.memory[i]);
  }
  return "";
}

}  // namespace ulpfuzz::kernels::testing_support
