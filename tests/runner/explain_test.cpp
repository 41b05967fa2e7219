#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "explain_files.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string public_data = ULPFUZZ_SOURCE_DIR "/corpus/public/";

const std::string jax_network = "--network " + public_data + "jax-vmap/network.json --input " +
                                public_data + "jax-vmap/x.npy --difference " + public_data +
                                "jax-vmap/reported_difference.npy --batch-sizes 10,10000 ";

TEST(Explain, NamesTheCauseOfTheReportedJaxDifferences) {
  const Scratch scratch;
  const Result r = run(scratch, "explain " + jax_network + "--json -");
  EXPECT_EQ(r.code, 1) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["verdict"], "not fp32 reordering");
  EXPECT_EQ(j["cause"],
            "layer 1 fp32 on one side, TF32 everywhere else, tensor-core accumulation (Ada model), "
            "inputs rounded to nearest away");
  EXPECT_THAT(j["per_layer"]["a"], ElementsAre("fp32", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_THAT(j["per_layer"]["b"], ElementsAre("tf32 rna ada", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_EQ(j["exact"], 20);
  EXPECT_EQ(j["elements"], 20);
  EXPECT_EQ(j["differing"], 16);
  EXPECT_NEAR(j["difference_max"], 1.4442205e-4, 1e-11);
  EXPECT_GT(j["ratio_max"], 100);
  EXPECT_LT(j["reorder_bound_max"], 1.7e-6);
  EXPECT_LT(j["residual_rms"], 1e-11);
}

TEST(Explain, SaysItInWordsOfTheLayers) {
  const Scratch scratch;
  const Result r = run(scratch, "explain " + jax_network);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out, testing::StartsWith("verdict      not fp32 reordering\ncause        layer 1"));
  EXPECT_THAT(r.out, HasSubstr("  layer                a (batch 10)  b (batch 10000)\n"
                               "  1  linear(2 -> 10)   fp32          tf32 rna ada\n"));
  EXPECT_THAT(r.out, HasSubstr("prediction   20 of 20 elements bit for bit"));
  EXPECT_THAT(r.out, HasSubstr("jax_default_matmul_precision"));
  for (std::size_t at = 0, end; (end = r.out.find('\n', at)) != r.out.npos; at = end + 1)
    EXPECT_LE(end - at, 100) << r.out.substr(at, end - at);
}

TEST(Explain, CutsTheInputsOfACaseToTheRowsInQuestion) {
  const Scratch scratch;
  const Result r = run(scratch, "explain --case " ULPFUZZ_SOURCE_DIR
                                "/corpus/seeds/jax-vmap-mlp.case.json --rows 0-9 --difference " +
                                    public_data + "jax-vmap/reported_difference.npy --json -");
  EXPECT_EQ(r.code, 1) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["exact"], 20);
  EXPECT_THAT(j["cause"].get<std::string>(), HasSubstr("TF32"));
}

TEST(Explain, ShowsAnExampleThatWorks) {
  const Scratch scratch;
  const Result help = run(scratch, "explain --help");
  EXPECT_EQ(help.code, 0);
  const std::size_t at = help.out.find("Example:\n  ulpfuzz explain ");
  ASSERT_NE(at, help.out.npos) << help.out;
  std::string arguments = help.out.substr(help.out.find("explain", at));
  std::erase(arguments, '\\');
  std::ranges::replace(arguments, '\n', ' ');
  const Result r = run(scratch, arguments, "cd " ULPFUZZ_SOURCE_DIR " && ");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("not fp32 reordering"));
}

/// Runs the `$ ulpfuzz explain` of a page that is found from `at` on and holds what it prints
/// against what follows, up to a line "…". Moves `at` behind it.
void expect_as_printed(const std::string& page, const std::string& text, std::size_t& at) {
  at = text.find("\n$ ulpfuzz explain ", at);
  const std::size_t end = text.find("\n```", at);
  ASSERT_NE(end, text.npos) << page;
  std::size_t output = text.find('\n', at + 1) + 1;
  while (text[output - 2] == '\\') output = text.find('\n', output) + 1;
  const std::string command = text.substr(at + 11, output - at - 12);
  at = end;
  std::string printed = text.substr(output, end + 1 - output);
  const Scratch scratch;
  const Result r = run(scratch, command, "cd " ULPFUZZ_SOURCE_DIR " && ");
  EXPECT_EQ(r.code, 1) << command << r.err;
  if (printed.ends_with("…\n")) {
    printed.resize(printed.size() - std::string("…\n").size());
    EXPECT_GT(printed.size(), 200);
    EXPECT_EQ(r.out.substr(0, printed.size()), printed) << page;
  } else {
    EXPECT_EQ(r.out, printed) << page;
  }
}

TEST(Explain, PrintsWhatTheDocsShow) {
  for (const auto& [page, examples] :
       {std::pair("README.md", 1), std::pair("docs/explain.md", 2)}) {
    const std::string text = mutants::content(ULPFUZZ_SOURCE_DIR "/" + std::string(page));
    std::size_t at = 0;
    for (int i = 0; i < examples; ++i) expect_as_printed(page, text, at);
  }
}

TEST(Explain, TakesTheRowsThatResultsBelongTo) {
  const Files f;
  const auto of_rows = [&](const std::string& rows, const std::string& results) {
    return f.explain("--rows " + rows + " " + results + " --json -");
  };
  f.save("cut.npy", {2, 2}, {f.y()[0], f.y()[1], f.y()[6], f.y()[7]});
  const Result cut = of_rows("0,3", "--a " + f / "cut.npy" + " --b " + f / "cut.npy");
  EXPECT_EQ(cut.code, 0) << cut.err;
  EXPECT_EQ(json::parse(cut.out)["elements"], 4);
  // A result of all rows is cut to them, so that it may stand beside one of these rows alone.
  const Result mixed = of_rows("0,3", "--a " + f / "cut.npy" + " --b " + f / "y.npy");
  EXPECT_EQ(mixed.code, 0) << mixed.err;
  EXPECT_EQ(json::parse(mixed.out)["conclusion"], "equal");
  const Result other = of_rows("0,2", "--a " + f / "cut.npy" + " --b " + f / "y.npy");
  EXPECT_EQ(other.code, 1);
}

TEST(Explain, ReturnsZeroForEqualAndReorderedResults) {
  const Files f;
  const Result equal = f.explain(f.pair("y.npy", "y.npy") + " --json -");
  EXPECT_EQ(equal.code, 0) << equal.err;
  EXPECT_EQ(json::parse(equal.out)["verdict"], "equal in every bit");
  std::vector<float> moved = f.y();
  moved[3] = std::nextafter(moved[3], 100.0f);
  f.save("moved.npy", {4, 2}, moved);
  const Result reordered = f.explain(f.pair("y.npy", "moved.npy") + " --json -");
  EXPECT_EQ(reordered.code, 0) << reordered.err;
  const json j = json::parse(reordered.out);
  EXPECT_EQ(j["conclusion"], "reordering");
  EXPECT_EQ(j["differing"], 1);
  EXPECT_EQ(j["worst"]["ulps"], 1);
  EXPECT_THAT(j["confidence"].get<std::string>(),
              AllOf(testing::StartsWith("high: within the sound bound in all 8 elements and of "),
                    HasSubstr("of what usual orders give"), Not(HasSubstr("correlation"))));
  EXPECT_GT(j["reorder_bound_max"], 0);
  EXPECT_LT(j["ratio_max"], 1);
}

TEST(Explain, ReturnsOneForWhatReorderingCannotGive) {
  const Files f;
  std::vector<float> wrong = f.y();
  wrong[5] += 0.25f;
  f.save("wrong.npy", {4, 2}, wrong);
  const Result r = f.explain(f.pair("wrong.npy", "y.npy") + " --json -");
  EXPECT_EQ(r.code, 1) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["conclusion"], "other_cause");
  EXPECT_EQ(j["worst"]["where"], "row 2, output 1");
  EXPECT_EQ(j["wrong_side"], "a");
  EXPECT_GT(j["ratio_max"], 1000);
}

TEST(Explain, GivesTheLargestDifferenceOfEachRow) {
  const Files f;
  std::vector<float> wrong = f.y();
  wrong[5] += 0.25f;
  f.save("wrong.npy", {4, 2}, wrong);
  const json j = json::parse(f.explain(f.pair("wrong.npy", "y.npy") + " --json -").out);
  ASSERT_EQ(j["rows"].size(), 4u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(j["rows"][row]["row"], row);
    EXPECT_EQ(j["rows"][row]["difference_max"] != 0, row == 2) << row;
    EXPECT_GT(j["rows"][row]["bound_max"], 0);
  }
  EXPECT_EQ(j["rows"][2]["difference_max"], j["difference_max"]);
  EXPECT_EQ(j["rows"][2]["ratio_max"], j["ratio_max"]);
}

TEST(Explain, NamesNoArithmeticForWhatIsUnexplained) {
  const Files f;
  std::vector<float> wrong = f.y();
  for (std::size_t i = 0; i < wrong.size(); ++i)
    wrong[i] += 0.1f * std::sin(static_cast<float>(i) + 1);
  f.save("wrong.npy", {4, 2}, wrong);
  const json j = json::parse(f.explain(f.pair("wrong.npy", "y.npy") + " --json -").out);
  EXPECT_THAT(j["cause"].get<std::string>(), testing::StartsWith("unexplained"));
  EXPECT_TRUE(j["per_layer"]["a"].empty() && j["per_layer"]["b"].empty());
  EXPECT_EQ(j["exact"], nullptr);
}

TEST(Explain, FindsNaNAndInfinityWhereTheRightValueIsFinite) {
  const Files f;
  for (const float strange : {NAN, INFINITY, -INFINITY}) {
    std::vector<float> y = f.y();
    y[5] = strange;
    f.save("strange.npy", {4, 2}, y);
    const Result r = f.explain(f.pair("y.npy", "strange.npy") + " --json -");
    EXPECT_EQ(r.code, 1) << r.err;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["conclusion"], "other_cause");
    EXPECT_EQ(j["cause"], "NaN or infinity on side b where the right value is finite");
    EXPECT_EQ(j["worst"]["where"], "row 2, output 1");
    EXPECT_EQ(j["ratio_max"], nullptr);
    // Two results that agree on it are both wrong.
    const Result both = f.explain(f.pair("strange.npy", "strange.npy") + " --json -");
    EXPECT_EQ(both.code, 1) << both.err;
    EXPECT_EQ(json::parse(both.out)["wrong_side"], "both");
  }
}

TEST(Explain, CallsItUndecidableWhereNoBoundSpeaks) {
  const Files f;
  std::vector<float> x = f.x();
  x[0] = INFINITY;
  f.save("x.npy", {4, 3}, x);
  std::vector<float> y = f.y();
  y[0] += 1;
  f.save("other.npy", {4, 2}, y);
  for (const std::string rows : {"--rows 0 ", "--rows 0-3 "}) {
    const Result r = f.explain(rows + f.pair("y.npy", "other.npy") + " --json -");
    EXPECT_EQ(r.code, 5) << r.out << r.err;
    EXPECT_EQ(json::parse(r.out)["conclusion"], "undecidable");
    EXPECT_EQ(json::parse(r.out)["reorder_bound_max"], nullptr);
    EXPECT_THAT(r.err, HasSubstr("note         no bound speaks of 2 of "));
  }
}

TEST(Explain, ExactlyTheseKeysStandFirstInTheJson) {
  const Files f;
  const Result r = f.explain(f.pair("y.npy", "y.npy") + " --json " + f / "out.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("verdict      equal in every bit"));
  std::vector<std::string> keys;
  const auto j = nlohmann::ordered_json::parse(mutants::content(f / "out.json"));
  for (const auto& [key, value] : j.items()) keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("verdict", "cause", "per_layer", "exact", "elements", "residual_rms",
                          "reorder_bound_max", "difference_max", "ratio_max", "conclusion",
                          "differing", "worst", "typical_rms", "observed_rms", "matches",
                          "wrong_side", "remedy", "confidence", "notes", "rows", "subject"));
}

TEST(Explain, TakesGradientsAsOneFileOrOneAParameter) {
  const Files f;
  const auto [w, b] = f.jacobian();  // [4, 2, 6], [4, 2, 2]
  std::vector<float> all;
  for (std::size_t i = 0; i < 8; ++i) {
    all.insert(all.end(), w.begin() + 6 * i, w.begin() + 6 * (i + 1));
    all.insert(all.end(), b.begin() + 2 * i, b.begin() + 2 * (i + 1));
  }
  f.save("j.npy", {4, 2, 8}, all);
  f.save("jw.npy", {4, 2, 2, 3}, w);
  f.save("jb.npy", {4, 2, 2}, b);
  const Result r = f.explain("--jacobian --a " + f / "j.npy" + " --b " + f / "jw.npy" + " --b " +
                             f / "jb.npy" + " --json -");
  EXPECT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["conclusion"], "equal");
  EXPECT_EQ(j["elements"], 64);
  f.save("bent.npy", {4, 2, 2}, std::vector<float>(16, 1.5f));
  EXPECT_EQ(
      f.explain("--jacobian --a " + f / "j.npy" + " --b " + f / "jw.npy" + " --b " + f / "bent.npy")
          .code,
      1);
}

TEST(Explain, TakesDifferencesOfFloat64) {
  const Files f;
  f.save_zeros("d.npy", "<f8", 8);
  const Result r = f.explain("--difference " + f / "d.npy");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("equal"));
}

TEST(Explain, TakesTheSumOfTheReportedTorchDifferences) {
  const Scratch scratch;
  const std::string sum = " --jacobian --difference-sum 1.4e-5 --json -";
  const Result r =
      run(scratch,
          "explain --case " ULPFUZZ_SOURCE_DIR "/corpus/seeds/torch-jacobian-mlp.case.json" + sum);
  EXPECT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["verdict"], "consistent with fp32 reordering");
  EXPECT_EQ(j["elements"], 2 * 10 * 15910);
  EXPECT_THAT(j["cause"].get<std::string>(), HasSubstr("TF32 excluded"));
  EXPECT_EQ(
      run(scratch, "explain --network " + public_data + "torch-jacobian/network.json --input " +
                       public_data + "torch-jacobian/x.npy" + sum)
          .out,
      r.out);
}

}  // namespace
}  // namespace ulpfuzz
