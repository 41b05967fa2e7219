#include "scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calls.hpp"
#include "failures.hpp"
#include "place.hpp"

namespace ulpfuzz::repro {
namespace {

using testing::ElementsAre;

Case rows_of_one(std::uint32_t batch, std::vector<Slice> split) {
  Network n;
  n.output(n.linear(n.input(1), n.parameter(2, 1)));
  Case c;
  c.network = std::move(n);
  c.parameters = {Tensor(2, 1, {1, 3})};
  c.inputs = {Tensor(batch, 1)};
  for (std::uint32_t r = 0; r < batch; ++r) c.inputs[0].data[r] = static_cast<float>(r + 1);
  c.split = std::move(split);
  return c;
}

TEST(Place, ReadsTheWordsOfEvidence) {
  const Case c = rows_of_one(4, {{{0, 1, 2, 3}, 0}});
  const auto output = place_from("output[row 3][column 1]", c);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->kind, Place::Kind::output);
  EXPECT_EQ(output->row, 3u);
  EXPECT_EQ(output->column, 1u);
  const auto jacobian = place_from("d output[1] / d parameter 0[1][0], row 2", c);
  ASSERT_TRUE(jacobian);
  EXPECT_EQ(jacobian->kind, Place::Kind::jacobian);
  EXPECT_EQ(jacobian->wrt, 1u);
  EXPECT_EQ(jacobian->element, 1u);
  EXPECT_EQ(jacobian->row, 2u);
  const auto summed = place_from("batch-summed gradient of input 0[0]", c);
  ASSERT_TRUE(summed);
  EXPECT_EQ(summed->kind, Place::Kind::summed);
  EXPECT_EQ(summed->wrt, 0u);
}

TEST(Place, IsNothingForElementsThatTheCaseLacks) {
  const Case c = rows_of_one(4, {{{0, 1, 2, 3}, 0}});
  for (const char* where :
       {"", "output", "output[row 4][column 0]", "output[row 0][column 2]",
        "output[row 0][column 0] and more", "d output[0] / d parameter 1[0][0], row 0",
        "d output[0] / d parameter 0[2][0], row 0", "d output[0] / d input 0[1], row 0"})
    EXPECT_FALSE(place_from(where, c)) << where;
}

Failure forward(const Case& c, const Subject& subject, const Verdict& verdict) {
  return {c, properties::batched_vs_sliced, subject, {}, verdict, "", ""};
}

TEST(Scene, NamesTheSliceThatGaveWhatTheVerdictSaw) {
  // Two slices of the same words hold row 1, at other places: neighbour_row spoils the last one.
  const Case c = rows_of_one(3, {{{1, 0, 1}, 0}, {{1, 0, 1}, 0}});
  const Subject& subject = *known_subjects().find("fault/neighbour_row");
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = FailureClass::beyond_bound;
  v.worst.where = "output[row 1][column 1]";
  v.worst.path_a = "batch of 3";
  v.worst.path_b = "slice rows 1, 0, 1";
  v.worst.a = 6;
  v.worst.b = 3;  // row 0's
  v.worst.difference = 3;
  const Scene s = scene_of(forward(c, subject, v));
  EXPECT_EQ(s.a.route, Route::batch);
  EXPECT_EQ(s.a.calls[0].index, 3u);
  ASSERT_EQ(s.b.calls.size(), 1u);
  EXPECT_EQ(s.b.calls[0].index, 5u);  // the third of the slice
  EXPECT_THAT(s.b.calls[0].rows, ElementsAre(1u, 0u, 1u));
  Caller caller;
  EXPECT_EQ(evaluate(caller, subject, c, s.a), 6);
  EXPECT_EQ(evaluate(caller, subject, c, s.b), 3);
}

class Paths : public testing::TestWithParam<KnownFailure> {};

/// Whatever the schedule, its network and index.
TEST_P(Paths, GiveWhatTheVerdictSaw) {
  const Failure failure = judged(GetParam());
  const Scene s = scene_of(failure);
  Caller caller;
  const ElementEvidence& e = failure.verdict.worst;
  const auto same = [](float x, float y) { return x == y || (x != x && y != y); };
  EXPECT_TRUE(same(evaluate(caller, failure.subject, failure.value, s.a), e.a)) << s.a.words;
  const bool exact = s.b.route == Route::exact;
  EXPECT_TRUE(exact || same(evaluate(caller, failure.subject, failure.value, s.b), e.b))
      << s.b.words;
}

/// All but the one whose calls give something else each time.
std::vector<KnownFailure> that_repeat() {
  std::vector<KnownFailure> all = known_failures();
  std::erase_if(all, [](const KnownFailure& k) { return k.name == "nondeterministic"; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfFailures, Paths, testing::ValuesIn(that_repeat()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Scene, FindsTheCallThatFailsWithoutAnElement) {
  const Case c = rows_of_one(2, {{{0}, 0}, {{0, 1}, 16}});
  const Subject& subject = *known_subjects().find("fault/forgets_rows_beyond_16");
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = FailureClass::unwritten;
  const Scene s = scene_of(forward(c, subject, v));
  EXPECT_EQ(s.check, Check::unwritten);
  EXPECT_EQ(s.a.words, "slice rows 0-1 with 16 rows of padding");
}

}  // namespace
}  // namespace ulpfuzz::repro
