#include "ulpfuzz/kernels/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "host_run.hpp"
#include "shuffled_block.hpp"

namespace ulpfuzz::kernels {
namespace {

// y[block * 64 + t] = values of other threads, as `Body` gets them.
template <class Body>
struct Probe {
  static constexpr unsigned threads = 64;
  struct Shared {
    float of[threads];
  };
  float* y;

  template <class Block>
  void operator()(Block& block) const {
    Body::run(block, y + block.index() * threads);
  }
};

struct Exchange {
  template <class Block>
  static void run(Block& block, float* y) {
    typename Block::template Registers<float> r;
    block.each([&](unsigned t) { r[t] = static_cast<float>(t); });
    for (unsigned mask = 16; mask > 0; mask /= 2) {
      const auto other = block.exchange(r, mask);
      block.each([&](unsigned t) { r[t] = other[t]; });
    }
    block.each([&](unsigned t) { y[t] = r[t]; });
  }
};
// A phase of some threads; what they share is read in the next phase.
struct Some {
  template <class Block>
  static void run(Block& block, float* y) {
    block.each([&](unsigned t) { block.shared().of[t] = 1; });
    block.each(5, [&](unsigned t) { block.shared().of[t] = 2; });
    block.each([&](unsigned t) { y[t] = block.shared().of[63 - t]; });
  }
};
// A thread reads what another one writes in the same phase.
struct Race {
  template <class Block>
  static void run(Block& block, float* y) {
    block.each([&](unsigned t) { block.shared().of[t] = 0; });
    block.each([&](unsigned t) {
      block.shared().of[t] = 1;
      y[t] = block.shared().of[t ^ 1];
    });
  }
};
struct Undefined {
  template <class Block>
  static void run(Block& block, float* y) {
    typename Block::template Registers<float> r;
    block.each([&](unsigned t) {
      if (t != 3) block.shared().of[t] = r[t] = 1;
    });
    block.each([&](unsigned t) { y[t] = t < 32 ? r[t] : block.shared().of[t - 32]; });
  }
};

template <class Body>
std::vector<float> block_on_host(std::size_t blocks, BlockOrder order = BlockOrder::ascending) {
  std::vector<float> y(blocks * 64, -1.0f);
  host::Shuffle shuffle(order);
  host::run(Probe<Body>{y.data()}, blocks, shuffle);
  return y;
}
template <class Body>
std::vector<float> shuffled(std::size_t blocks, ThreadOrder order) {
  std::vector<float> y(blocks * 64, -1.0f);
  ShuffledRun(order, true)(Probe<Body>{y.data()}, blocks);
  return y;
}

TEST(Block, ExchangesWithinAWarp) {
  const auto y = block_on_host<Exchange>(1);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(y[t], static_cast<float>(t ^ 31));
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random})
    EXPECT_EQ(shuffled<Exchange>(1, order), y);
}

TEST(Block, HasPhasesOfSomeThreads) {
  const auto y = block_on_host<Some>(3);
  for (unsigned i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 63 - i % 64 < 5 ? 2.0f : 1.0f);
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random})
    EXPECT_EQ(shuffled<Some>(3, order), y);
}

TEST(ShuffledBlock, ShowsARace) {
  const auto y = block_on_host<Race>(2);
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random})
    EXPECT_NE(shuffled<Race>(2, order), y);
}

TEST(ShuffledBlock, ShowsWhatWasNeverWritten) {
  for (const auto order : {ThreadOrder::reversed, ThreadOrder::random}) {
    const auto y = shuffled<Undefined>(1, order);
    for (unsigned t = 0; t < 64; ++t) {
      if (t % 32 == 3)
        EXPECT_EQ(__builtin_bit_cast(std::uint32_t, y[t]), poison);
      else
        EXPECT_EQ(y[t], 1.0f);
    }
  }
}

TEST(Shuffle, IsAnotherPermutationEveryTimeFromAFixedSeed) {
  host::Shuffle shuffle(BlockOrder::shuffled), again(BlockOrder::shuffled);
  std::set<host::Order> orders;
  for (int time = 0; time < 20; ++time) {
    host::Order order = shuffle.of(50);
    EXPECT_EQ(again.of(50), order);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    host::Order all(50);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(order, all);
  }
  EXPECT_EQ(orders.size(), 20u);
}

TEST(Shuffle, RunsEveryBlockOnce) {
  EXPECT_EQ(block_on_host<Some>(7, BlockOrder::shuffled), block_on_host<Some>(7));
}

}  // namespace
}  // namespace ulpfuzz::kernels
