#include "trial.hpp"

#include <gmock/gmock.h>

#include <new>

#include "cases.hpp"

namespace ulpfuzz {
namespace {

using properties::batched_vs_sliced;
using properties::loop_vs_vectorized;
using trials::check;

TEST(Guarded, MakesFaultsOfTheSubjectFailures) {
  const Verdict v = properties::guarded(
      []() -> Verdict { throw SubjectFault(FailureClass::out_of_bounds, "one too many"); });
  EXPECT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::out_of_bounds);
  EXPECT_EQ(v.reason, "one too many");
}

TEST(Guarded, LetsThroughWhatIsNoFaultOfTheSubject) {
  const auto out_of_memory = []() -> Verdict { throw std::bad_alloc(); };
  EXPECT_THROW(properties::guarded(out_of_memory), std::bad_alloc);
}

/// Wrong from two rows on; conduct of evaluations with more outputs than asked for is `deed`.
class WrongWithInnerNodes : public Subject {
 public:
  using Deed = void (*)(const Evaluation&);
  explicit WrongWithInnerNodes(Deed deed) : deed_(deed) {}
  std::string_view name() const override { return "wrong"; }
  void evaluate(const Evaluation& e) const override {
    plain_.evaluate(e);
    if (e.network.outputs().size() > 1) deed_(e);
    if (e.batch > 1) e.outputs[0][0] += 1;
  }

 private:
  trials::Plain plain_;
  Deed deed_;
};

TEST(InnerNodes, MayBeRefused) {
  const WrongWithInnerNodes refuses([](const Evaluation&) { throw std::runtime_error("no"); });
  const Verdict v = check(batched_vs_sliced, trials::mlp({4, 4, 4}, 3), refuses);
  EXPECT_EQ(v.failure, FailureClass::beyond_bound);
  EXPECT_EQ(v.first_op, "linear");
}

TEST(InnerNodes, ShowFaultsOfConductLikeAnyOutput) {
  const WrongWithInnerNodes forgets(
      [](const Evaluation& e) { e.outputs[1][0] = std::bit_cast<float>(unwritten_bits); });
  for (const bool bitwise : {false, true}) {
    const Verdict v =
        check(batched_vs_sliced, trials::mlp({4, 4, 4}, 3), forgets, {.bitwise = bitwise});
    EXPECT_EQ(v.failure, FailureClass::unwritten) << v.reason;
  }
}

/// Refuses what has inner nodes as outputs, and counts how often it is asked to evaluate it still.
class SaysNo final : public trials::Plain {
 public:
  mutable int asked = 0;
  std::optional<std::string> unsupported(const Network& n) const override {
    if (n.outputs().size() > 1) return "one output only";
    return std::nullopt;
  }

 protected:
  void begin(const Evaluation& e) const override { asked += e.network.outputs().size() > 1; }
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    if (rows > 1) y[0] += 1;
  }
};

TEST(InnerNodes, AreNotAskedForWhereTheSubjectSaysThatItDoesNotEvaluateThem) {
  const SaysNo subject;
  EXPECT_TRUE(check(batched_vs_sliced, trials::mlp({4, 4, 4}, 3), subject).failed());
  EXPECT_EQ(subject.asked, 0);
}

/// Claims no determinism; `step` times the number of calls is added to the first output.
class Drifts final : public Subject {
 public:
  explicit Drifts(float step) : step_(step) {}
  std::string_view name() const override { return "drifts"; }
  bool deterministic() const override { return false; }
  void evaluate(const Evaluation& e) const override {
    plain_.evaluate(e);
    e.outputs[0][0] += e.batch > 1 ? 1 + step_ * static_cast<float>(++calls_) : 0;
  }

 private:
  trials::Plain plain_;
  float step_;
  mutable int calls_ = 0;
};

TEST(Repetition, OfASubjectThatClaimsNoDeterminismIsAFaultOnlyBeyondTheBound) {
  for (const Property* p : {&batched_vs_sliced, &loop_vs_vectorized}) {
    const Case c = trials::mlp({4, 4}, 3);
    EXPECT_EQ(check(*p, c, Drifts(0)).failure, FailureClass::beyond_bound) << p->name;
    EXPECT_EQ(check(*p, c, Drifts(0.25f)).failure, FailureClass::nondeterministic) << p->name;
  }
  const Verdict v = check(batched_vs_sliced, trials::mlp({4, 64, 4}, 3), Drifts(0x1p-23f));
  EXPECT_EQ(v.failure, FailureClass::beyond_bound);
}

}  // namespace
}  // namespace ulpfuzz
