#include "row_runs.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr std::uint32_t bits = 0x7fa5a5a5u;

using Found = std::vector<std::uint32_t>;

// What a check finds, on a host and with threads in another order.
Found check(const Floats& memory, const std::vector<std::uint64_t>& starts, std::uint32_t zone) {
  Found first(starts.size(), 12345), shuffled = first;
  CheckZones launch{.base = memory.data(),
                    .starts = starts.data(),
                    .zones = starts.size(),
                    .zone = zone,
                    .bits = bits,
                    .first = first.data()};
  make_host_device()->launch(launch, nullptr);
  launch.first = shuffled.data();
  with_programs(launch, nullptr, ShuffledRun(ThreadOrder::random, true));
  EXPECT_EQ(first, shuffled);
  return first;
}

Floats untouched(std::size_t count) { return Floats(count, __builtin_bit_cast(float, bits)); }

TEST(CheckZones, FindsNothingInUntouchedMemory) {
  for (const std::uint32_t zone : {1u, 3u, 64u, 100u})
    for (const std::size_t zones : {0, 1, 31, 32, 33, 100}) {
      std::vector<std::uint64_t> starts(zones);
      for (std::size_t z = 0; z < zones; ++z) starts[z] = z * (zone + 1);
      Floats memory = untouched(zones * (zone + 1));
      for (std::size_t z = 0; z < zones; ++z) memory[starts[z] + zone] = 1;  // between zones
      EXPECT_EQ(check(memory, starts, zone), Found(zones, zone));
    }
}

TEST(CheckZones, FindsOneChangedBitAnywhere) {
  constexpr std::uint32_t zone = 64;
  const std::vector<std::uint64_t> starts = {5, 200, 69};
  for (std::size_t z = 0; z < starts.size(); ++z)
    for (std::uint32_t i = 0; i < zone; ++i)
      for (const std::uint32_t bit : {0u, 22u, 31u}) {
        Floats memory = untouched(300);
        memory[starts[z] + i] = __builtin_bit_cast(float, bits ^ (1u << bit));
        Found expected(3, zone);
        expected[z] = i;
        ASSERT_EQ(check(memory, starts, zone), expected) << i;
      }
}

TEST(CheckZones, NamesTheFirstOfSeveralChanges) {
  const std::vector<std::uint64_t> starts = {0, 10, 20};
  Floats memory = untouched(30);
  for (const std::size_t at : {3, 9, 10, 15, 29}) memory[at] = 0;
  EXPECT_EQ(check(memory, starts, 10), (Found{3, 0, 9}));
}

}  // namespace
}  // namespace ulpfuzz::kernels
