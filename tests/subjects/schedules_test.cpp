#include "ulpfuzz/subjects/schedules.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <numeric>

#include "subjects/trials.hpp"

namespace ulpfuzz {
namespace {

const Subject& reference() { return *trials::subjects().find("reference/dd"); }

/// Writes zeros and keeps what it was called with.
class CallRecorder final : public Subject {
 public:
  struct Call {
    std::size_t batch;
    std::vector<std::vector<float>> inputs;
    std::vector<std::size_t> offsets;  ///< of inputs, then outputs, in floats from 64 bytes
  };
  std::string_view name() const override { return "recorder"; }
  void evaluate(const Evaluation& e) const override {
    Call call{e.batch, {}, {}};
    const Network& n = e.network;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const Node& node = n.node(n.inputs()[i]);
      call.inputs.emplace_back(e.inputs[i],
                               e.inputs[i] + n.entries(node, e.batch) * node.shape.size());
      call.offsets.push_back(std::bit_cast<std::uintptr_t>(e.inputs[i]) % 64 / sizeof(float));
    }
    for (std::size_t o = 0; o < e.outputs.size(); ++o) {
      const Node& node = n.node(n.outputs()[o]);
      std::fill_n(e.outputs[o], n.entries(node, e.batch) * node.shape.size(), 0.0f);
      call.offsets.push_back(std::bit_cast<std::uintptr_t>(e.outputs[o]) % 64 / sizeof(float));
    }
    calls.push_back(std::move(call));
  }
  mutable std::vector<Call> calls;
};

Case counted_case(std::size_t batch) {
  Case c = trials::make_case(trials::mlp({3, 2}, Op::relu), batch, 1);
  std::iota(c.inputs[0].data.begin(), c.inputs[0].data.end(), 0.0f);
  return c;
}

void expect_near(std::span<const float> a, std::span<const float> b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-6 * (1 + std::abs(b[i]))) << what << " " << i;
}

TEST(ForwardSlice, EvaluatesItsRowsInOrderThenPaddingOfZeros) {
  const CallRecorder recorder;
  Caller caller;
  const auto y =
      forward_slice(caller, recorder, counted_case(4), {.rows = {2, 0, 2}, .padding = 2});
  EXPECT_EQ(y.size(), 3u * 2);
  ASSERT_EQ(recorder.calls.size(), 1u);
  EXPECT_EQ(recorder.calls[0].batch, 5u);
  EXPECT_EQ(recorder.calls[0].inputs[0],
            (std::vector<float>{6, 7, 8, 0, 1, 2, 6, 7, 8, 0, 0, 0, 0, 0, 0}));
}

TEST(ForwardSlice, OfNoRowsGivesNothing) {
  Caller caller;
  EXPECT_TRUE(forward_slice(caller, reference(), counted_case(4), {}).empty());
  EXPECT_TRUE(
      forward_slice(caller, reference(), counted_case(4), {.rows = {}, .padding = 3}).empty());
}

TEST(Forward, SlicesHoldTheRowsOfTheBatch) {
  Caller caller;
  for (const examples::Example& example : examples::all()) {
    const Case c = trials::make_case(example.network, 6, 3);
    const auto whole = forward_batched(caller, reference(), c);
    const std::size_t width = c.output_width();
    for (const Slice& slice : {Slice{{5, 1}, 0}, Slice{{3}, 2}, Slice{{0, 0, 4}, 1}}) {
      const auto part = forward_slice(caller, reference(), c, slice);
      for (std::size_t i = 0; i < slice.rows.size(); ++i)
        for (std::size_t j = 0; j < width; ++j)
          ASSERT_EQ(part[i * width + j], whole[slice.rows[i] * width + j]) << example.name;
    }
  }
}

TEST(Schedules, PlaceBuffersAtTheOffsetsOfTheLayout) {
  Case c = counted_case(3);
  c.layout = {.batch_offset = 3, .slice_offset = 15};
  const DerivedNetworks derived = derive(c.network);
  const std::vector<std::uint32_t> rows = {0, 2};
  const CallRecorder batched;
  const CallRecorder sliced;
  Caller caller;
  forward_batched(caller, batched, c);
  jacobian_reverse(caller, batched, c, derived);
  jacobian_forward(caller, batched, c, derived);
  forward_slice(caller, sliced, c, {.rows = {1}, .padding = 0});
  jacobian_loop(caller, sliced, c, derived);
  gradient_summed(caller, sliced, c, derived, rows);
  EXPECT_EQ(batched.calls.size(), 1u + 1 + 3);
  EXPECT_EQ(sliced.calls.size(), 1u + 3 * 2 + 1);
  for (const auto& call : batched.calls) EXPECT_THAT(call.offsets, testing::Each(3u));
  for (const auto& call : sliced.calls) EXPECT_THAT(call.offsets, testing::Each(15u));
}

TEST(JacobianLoop, AsksForOneRowAndOneOutputAtATime) {
  const CallRecorder recorder;
  Caller caller;
  const Case c = counted_case(2);
  jacobian_loop(caller, recorder, c, derive(c.network));
  ASSERT_EQ(recorder.calls.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& call = recorder.calls[i];
    EXPECT_EQ(call.batch, 1u);
    EXPECT_EQ(call.inputs[0], (i < 2 ? std::vector<float>{0, 1, 2} : std::vector<float>{3, 4, 5}));
    EXPECT_EQ(call.inputs[1], (i % 2 == 0 ? std::vector<float>{1, 0} : std::vector<float>{0, 1}));
  }
}

TEST(JacobianReverse, AsksForAllCotangentsAtOnce) {
  const CallRecorder recorder;
  Caller caller;
  const Case c = counted_case(2);
  jacobian_reverse(caller, recorder, c, derive(c.network));
  ASSERT_EQ(recorder.calls.size(), 1u);
  EXPECT_EQ(recorder.calls[0].batch, 2u);
  EXPECT_EQ(recorder.calls[0].inputs[1], (std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1}));
}

TEST(Jacobian, IsTheSameBySchedule) {
  Caller caller;
  for (const examples::Example& example : examples::all()) {
    for (const std::size_t batch : {0, 1, 4}) {
      const Case c = trials::make_case(example.network, batch, 4);
      const DerivedNetworks derived = derive(c.network);
      const Jacobian loop = jacobian_loop(caller, reference(), c, derived);
      const Jacobian reverse = jacobian_reverse(caller, reference(), c, derived);
      const Jacobian forward = jacobian_forward(caller, reference(), c, derived);
      ASSERT_EQ(loop.elements, forward.elements);
      for (std::size_t w = 0; w < loop.blocks.size(); ++w) {
        ASSERT_EQ(loop.blocks[w].size(), batch * loop.outputs * loop.elements[w]);
        expect_near(reverse.blocks[w], loop.blocks[w], example.name);
        std::vector<float> turned;
        for (std::size_t b = 0; b < batch; ++b)
          for (std::size_t o = 0; o < loop.outputs; ++o)
            for (std::size_t t = 0; t < loop.elements[w]; ++t)
              turned.push_back(forward.blocks[w][(b * loop.elements[w] + t) * loop.outputs + o]);
        expect_near(turned, loop.blocks[w], example.name + " forward");
      }
    }
  }
}

TEST(GradientSummed, IsTheJacobianContractedWithTheCotangents) {
  Caller caller;
  const std::vector<std::uint32_t> rows = {3, 1, 1};
  for (const examples::Example& example : examples::all()) {
    const Case c = trials::make_case(example.network, 4, 5);
    const DerivedNetworks derived = derive(c.network);
    const Jacobian j = jacobian_loop(caller, reference(), c, derived);
    const auto sums = gradient_summed(caller, reference(), c, derived, rows);
    ASSERT_EQ(sums.size(), c.parameters.size());
    for (std::size_t p = 0; p < sums.size(); ++p) {
      const std::size_t w = c.inputs.size() + p;
      std::vector<float> expected(j.elements[w]);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        double sum = 0;
        for (const std::uint32_t b : rows)
          for (std::size_t o = 0; o < j.outputs; ++o)
            sum += double{c.cotangents.row(b)[o]} *
                   j.blocks[w][(b * j.outputs + o) * j.elements[w] + t];
        expected[t] = static_cast<float>(sum);
      }
      expect_near(sums[p], expected, example.name);
    }
  }
}

TEST(GradientSummed, OverNoRowsIsZero) {
  Caller caller;
  const Case c = counted_case(3);
  for (const Subject* subject : trials::available())
    for (const auto& sum : gradient_summed(caller, *subject, c, derive(c.network), {}))
      EXPECT_THAT(sum, testing::Each(0.0f)) << subject->name();
}

TEST(Schedules, AcceptNetworksWithoutOutputsOrElements) {
  Caller caller;
  for (const std::vector<std::uint32_t>& widths :
       {std::vector<std::uint32_t>{3, 0}, {0, 3}, {2, 0, 2}}) {
    const Case c = trials::make_case(trials::mlp(widths, Op::tanh), 2, 6);
    const DerivedNetworks derived = derive(c.network);
    for (const Subject* subject : trials::available()) {
      const Jacobian loop = jacobian_loop(caller, *subject, c, derived);
      const Jacobian reverse = jacobian_reverse(caller, *subject, c, derived);
      const Jacobian forward = jacobian_forward(caller, *subject, c, derived);
      EXPECT_EQ(loop.blocks, reverse.blocks) << subject->name();
      EXPECT_EQ(loop.elements, forward.elements);
      EXPECT_EQ(forward_batched(caller, *subject, c).size(), 2u * widths.back());
    }
  }
}

}  // namespace
}  // namespace ulpfuzz
