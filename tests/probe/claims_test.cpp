#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe_subjects.hpp"
#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

Options quick() {
  Options o;
  o.inner = {8, 16};
  o.largest_batch = 24;
  o.samples = 4000;
  return o;
}

std::string broken(const Report& report) {
  std::string all;
  for (const Finding& f : report.findings)
    if (f.claim_broken) all += f.what + ": " + f.value + " [" + f.evidence + "]\n";
  return all;
}

auto breach(const std::string& what, const std::string& value) {
  return Contains(AllOf(Field(&Finding::claim_broken, true), Field(&Finding::what, HasSubstr(what)),
                        Field(&Finding::value, HasSubstr(value))));
}

Arithmetic operands(Format format, Rounding rounding = Rounding::nearest_even) {
  Arithmetic a;
  a.operand = format;
  a.conversion = rounding;
  return a;
}
Arithmetic accumulate(Format format) {
  Arithmetic a;
  a.accumulate = format;
  return a;
}
Arithmetic unit(MatmulUnit u) {
  Arithmetic a = operands(Format::tf32);
  a.unit = u;
  return a;
}
Arithmetic split(Split s) {
  Arithmetic a;
  a.split = s;
  return a;
}
Arithmetic partials(Format format) {
  Arithmetic a;
  a.partials = 2;
  a.partial = format;
  return a;
}
Arithmetic flushing() {
  Arithmetic a;
  a.flushes_subnormals = true;
  return a;
}

std::vector<Arithmetic> all_arithmetics() {
  return {{},
          operands(Format::tf32),
          operands(Format::tf32, Rounding::nearest_away),
          operands(Format::bf16, Rounding::toward_zero),
          operands(Format::fp16),
          accumulate(Format::bf16),
          accumulate(Format::fp16),
          unit(matmul_units::ampere_tf32),
          unit(matmul_units::hopper_half),
          unit(matmul_units::volta_half),
          split(Split::bf16x3),
          split(Split::bf16x9),
          partials(Format::bf16),
          flushing()};
}

TEST(Claims, OfEveryEmulationAreKeptByItself) {
  for (const Arithmetic& a : all_arithmetics()) {
    const Emulated subject("emulated", with(a));
    for (const std::string_view part : {"sums", "special values", "batch sizes"})
      EXPECT_EQ(broken(probe(subject, quick(), part)), "") << subject.description();
  }
}

TEST(Claims, OfFp32AreBrokenByEveryOtherArithmetic) {
  for (const Arithmetic& a : all_arithmetics()) {
    if (a == Arithmetic{}) continue;
    const Claiming subject(with(a), {});
    Report report = probe(subject, quick(), "sums");
    append(report, probe(subject, quick(), "special values"));
    EXPECT_FALSE(report.claims_hold()) << Emulated("e", with(a)).description();
  }
}

TEST(Claims, NameWhatIsUsedInstead) {
  const auto found = [](const Arithmetic& used, const Arithmetic& claimed) {
    return probe(Claiming(with(used), claimed), quick(), "sums").findings;
  };
  EXPECT_THAT(found(operands(Format::tf32), {}), breach("operands", "tf32"));
  EXPECT_THAT(found(operands(Format::bf16), operands(Format::tf32)), breach("operands", "bf16"));
  EXPECT_THAT(found(operands(Format::fp16), operands(Format::tf32)), breach("operands", "fp16"));
  EXPECT_THAT(found(operands(Format::tf32, Rounding::toward_zero), operands(Format::tf32)),
              breach("operands", "toward zero"));
  EXPECT_THAT(found(split(Split::bf16x3), split(Split::bf16x6)), breach("operands", "bf16x3"));
  EXPECT_THAT(found(accumulate(Format::fp16), {}), breach("sums", "11 bits"));
  EXPECT_THAT(found(unit({4, 23}), unit({8, 25})), breach("sums", "23 fractional bits"));
  EXPECT_THAT(found(partials(Format::bf16), {}), breach("sums", "8 bits"));
}

TEST(Claims, AreKeptByWhatIsBetter) {
  const auto kept = [](const Arithmetic& used, const Arithmetic& claimed) {
    return broken(probe(Claiming(with(used), claimed), quick(), "sums"));
  };
  EXPECT_EQ(kept({}, operands(Format::bf16)), "");
  EXPECT_EQ(kept(operands(Format::tf32), operands(Format::bf16)), "");
  EXPECT_EQ(kept(split(Split::bf16x3), operands(Format::tf32)), "");
  EXPECT_EQ(kept({}, unit({8, 25})), "");
  EXPECT_EQ(kept(unit({8, 25}), unit({4, 24})), "");
  EXPECT_EQ(kept({}, accumulate(Format::bf16)), "");
  EXPECT_EQ(kept({}, partials(Format::bf16)), "");
}

/// Another arithmetic for batches above 8.
class ByBatch final : public Subject {
 public:
  ByBatch(const Arithmetic& few, const Arithmetic& many, const Arithmetic& claim)
      : few_("few", with(few)), many_("many", with(many)), claim_(claim) {}
  std::string_view name() const override { return "by_batch"; }
  Arithmetic arithmetic() const override { return claim_; }
  void evaluate(const Evaluation& e) const override { (e.batch > 8 ? many_ : few_).evaluate(e); }

 private:
  Emulated few_, many_;
  Arithmetic claim_;
};

TEST(Claims, ThatAreMixedAreKeptBySomeProductsInFp32AndSomeAsStated) {
  const auto all = [](const Subject& subject) {
    std::string text;
    for (const std::string_view part : {"sums", "special values", "batch sizes"})
      text += broken(probe(subject, quick(), part));
    return text;
  };
  for (Arithmetic claim : {unit(matmul_units::ampere_tf32), unit({8, 25}), split(Split::bf16x3),
                           operands(Format::bf16, Rounding::toward_zero), partials(Format::bf16)}) {
    const Arithmetic stated = claim;
    claim.mixed = true;
    EXPECT_EQ(all(ByBatch({}, stated, claim)), "");
    EXPECT_EQ(all(ByBatch(stated, {}, claim)), "");
  }
  // The order of plain fp32 is free; that of sums without products is as stated.
  Arithmetic claim = unit(matmul_units::ampere_tf32);
  claim.depth = 4;
  EXPECT_THAT(all(ByBatch({}, {}, claim)), AllOf(HasSubstr("linear"), HasSubstr("sum_rows")));
  claim.mixed = true;
  EXPECT_THAT(all(ByBatch({}, {}, claim)), AllOf(Not(HasSubstr("linear")), HasSubstr("sum_rows")));
}

TEST(Claims, ThatAreMixedAreBrokenByAThirdArithmetic) {
  Arithmetic claim = unit(matmul_units::ampere_tf32);
  claim.mixed = true;
  const ByBatch subject({}, operands(Format::bf16), claim);
  EXPECT_THAT(probe(subject, quick(), "batch sizes").findings,
              breach("operands of products, batch 9-24", "tf32 operands, or a product in plain"));
  const Claiming narrow(with(accumulate(Format::bf16)), claim);
  EXPECT_FALSE(probe(narrow, quick(), "sums").claims_hold());
  // Sums without products have no choice.
  Arithmetic wide = accumulate(Format::fp16), half = wide;
  half.mixed = true;
  EXPECT_EQ(broken(probe(Claiming(with(wide), half), quick(), "sums")), "");
  wide = accumulate(Format::bf16);
  EXPECT_FALSE(probe(Claiming(with(wide), half), quick(), "sums").claims_hold());
}

TEST(Claims, OfAUnitAreNotJudgedByTheBlockOfShorterSums) {
  Options o = quick();
  o.inner = {3, 5};
  for (const bool bias_first : {false, true}) {
    Emulation e = with(unit({8, 25}));
    e.summation.bias_first = bias_first;
    EXPECT_EQ(broken(probe(Emulated("emulated", e), o, "sums")), "");
  }
}

TEST(Claims, TellOuterProductsThatAreSparedTheUnit) {
  for (const bool by_matmul : {false, true}) {
    Arithmetic a = operands(Format::bf16);
    a.outer_by_matmul = by_matmul;
    const Report report = probe(Emulated("emulated", with(a)), quick(), "sums");
    EXPECT_THAT(report.findings,
                Contains(AllOf(Field(&Finding::what, "operands of outer products"),
                               Field(&Finding::value, HasSubstr(by_matmul ? "bf16" : "fp32")))));
  }
}

TEST(Claims, OfADepthAreHeldAgainstTheTree) {
  Arithmetic claim;
  claim.depth = 10;
  Emulation sequential;
  EXPECT_THAT(probe(Claiming(sequential, claim), quick(), "sums").findings,
              breach("depth", "16 roundings"));
  EXPECT_EQ(broken(probe(Claiming(with_order(Summation::Order::pairwise), claim), quick(), "sums")),
            "");
}

TEST(Claims, OfHonestSubjectsHold) {
  const Registry registry = builtin_subjects();
  for (const char* name : {"loops", "openblas", "eigen", "reference/fp64"}) {
    const Subject* subject = registry.find(name);
    if (subject == nullptr || subject->unavailable()) continue;
    Options o;
    o.samples = 20000;
    o.largest_batch = 40;
    EXPECT_EQ(broken(probe(*subject, o)), "") << name;
  }
}

TEST(Claims, ThatBreakFromABatchSizeOnNameIt) {
  const Registry registry = planted_faults();
  const Subject& subject = *registry.find("fault/tf32_above_8");
  const Report report = probe(subject, quick(), "batch sizes");
  EXPECT_THAT(report.findings, breach("operands of products, batch 9-24", "tf32, to nearest away"));
  ASSERT_EQ(report.batch_classes.size(), 2u);
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-8");
  EXPECT_THAT(report.batch_classes[0].behaviour, Not(HasSubstr("tf32")));
  EXPECT_EQ(compact(report.batch_classes[1].sizes), "9-24");
  EXPECT_THAT(report.batch_classes[1].behaviour, HasSubstr("tf32"));
}

TEST(Claims, AreBrokenByElementsTakenForOthers) {
  Options o = quick();
  for (const char* name : {"fault/neighbour_row", "fault/wrong_transpose_when_square"}) {
    const Registry faults = planted_faults();
    const Report report = probe(*faults.find(name), o, "special values");
    EXPECT_THAT(report.findings, breach("rows and columns", "is right")) << name;
  }
  const Registry honest = builtin_subjects();
  EXPECT_EQ(broken(probe(*honest.find("loops"), o, "special values")), "");
}

}  // namespace
}  // namespace ulpfuzz::probe
