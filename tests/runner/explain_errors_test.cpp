#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "explain_files.hpp"

namespace ulpfuzz {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Exit code 2, nothing on stdout, and one line that says all of this.
void expect_refused(const Result& r, const std::vector<std::string>& parts) {
  EXPECT_EQ(r.code, 2) << r.err << r.out;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, StartsWith("ulpfuzz: "));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  EXPECT_THAT(r.err, HasSubstr("; ")) << "no remedy";
  for (const std::string& part : parts) EXPECT_THAT(r.err, HasSubstr(part));
}

class ExplainErrors : public ::testing::Test {
 protected:
  /// Result `name` in place of a.
  void expect_refused_a(const std::string& name, const std::vector<std::string>& parts) {
    expect_refused(f.explain(f.pair(name, "y.npy")), parts);
  }
  void expect_refused_network(const std::string& content, const std::vector<std::string>& parts) {
    f.text("other.json", content);
    expect_refused(run(f.scratch(), "explain --network " + f / "other.json" + " --input " +
                                        f / "x.npy " + f.pair("y.npy", "y.npy")),
                   parts);
  }
  Files f;
};

TEST_F(ExplainErrors, ShapesOfResults) {
  f.save("narrow.npy", {4, 1}, std::vector<float>(4));
  expect_refused_a("narrow.npy", {"narrow.npy: shape (4, 1): 1 numbers a row, where the network "
                                  "gives 2; save [rows, 2]"});
  f.save("short.npy", {3, 2}, std::vector<float>(6));
  expect_refused_a("short.npy", {"short.npy: shape (3, 2): 3 rows, where",
                                 "x.npy has 4; say with "
                                 "--rows"});
  f.save("flat.npy", {8}, f.y());
  expect_refused_a("flat.npy", {"flat.npy: shape (8,): 8 numbers a row"});
  expect_refused(f.explain("--rows 0-2 " + f.pair("short.npy", "narrow.npy")), {"narrow.npy"});
  expect_refused(f.explain("--rows 0-1 " + f.pair("short.npy", "short.npy")),
                 {"short.npy: shape (3, 2): 3 rows, where --rows 0-1 has 2"});
  expect_refused(f.explain("--jacobian " + f.pair("y.npy", "y.npy")),
                 {"where the Jacobian has 2 outputs x 8", "leave out --jacobian"});
  expect_refused(f.explain("--a " + f / "y.npy" + " " + f.pair("y.npy", "y.npy")),
                 {"y.npy: one of 2 files of a result; give one"});
}

TEST_F(ExplainErrors, ShapesOfInputs) {
  expect_refused(
      run(f.scratch(), "explain --network " + f / "network.json" + " --input " + f / "y.npy " +
                           f.pair("y.npy", "y.npy")),
      {"y.npy: shape (4, 2): 2 numbers a row, where the network takes 3; save [rows, 3]"});
  f.save("none.npy", {0, 3}, {});
  expect_refused(run(f.scratch(), "explain --network " + f / "network.json" + " --input " +
                                      f / "none.npy " + f.pair("y.npy", "y.npy")),
                 {"none.npy: shape (0, 3): no rows"});
  expect_refused(f.explain("--input " + f / "x.npy " + f.pair("y.npy", "y.npy")),
                 {"--input: given 2 times", "has 1 input"});
}

TEST_F(ExplainErrors, RowsWithNaN) {
  std::vector<float> x = f.x();
  x[3] = x[10] = NAN;
  f.save("nan.npy", {4, 3}, x);
  const std::string call = "explain --network " + f / "network.json" + " --input " +
                           f / "nan.npy " + f.pair("y.npy", "y.npy");
  expect_refused(run(f.scratch(), call), {"nan.npy: NaN in rows 1,3; leave them out: --rows 0,2"});
  expect_refused(run(f.scratch(), call + " --rows 0-1"),
                 {"nan.npy: NaN in row 1; leave", "--rows 0"});
  expect_refused(run(f.scratch(), call + " --rows 3"), {"nan.npy: NaN in row 3; save the inputs"});
  EXPECT_EQ(run(f.scratch(), call + " --rows 0,2").code, 0);
  f.save("b.npy", {2}, {0, NAN});
  expect_refused(f.explain(f.pair("y.npy", "y.npy")),
                 {"network.json: b.npy: NaN at [0][1]; save the weights"});
}

TEST_F(ExplainErrors, FilesThatAreNoFloat32Arrays) {
  f.save_zeros("int.npy", "<i8", 8);
  expect_refused_a("int.npy", {"int.npy: dtype: it is int64, not float32; save it with "
                               "numpy.save(FILE, a.astype(numpy.float32))"});
  f.text("empty.npy", "");
  expect_refused_a("empty.npy", {"empty.npy: read: the file is empty; save it with"});
  f.text("text.npy", "0.1,0.2\n0.3,0.4\n");
  expect_refused_a("text.npy", {"text.npy: begin: it is text (\"0.1,0.2", "numpy.save"});
  f.text("cut.npy", mutants::content(f / "y.npy").substr(0, 140));
  expect_refused_a("cut.npy", {"cut.npy: data: 12 bytes", "cut short; save or copy it again"});
  expect_refused_a("absent.npy", {"absent.npy: open: No such file", "name a file that exists"});
  ::mkdir((f / "folder.npy").c_str(), 0755);
  expect_refused_a("folder.npy", {"folder.npy: open: Is a directory; name a file"});
}

TEST_F(ExplainErrors, FilesThatMayNotBeRead) {
  f.save("closed.npy", {4, 2}, f.y());
  ::chmod((f / "closed.npy").c_str(), 0);
  // Root may read everything unless it gives that up.
  const std::string as_user =
      ::geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : "";
  expect_refused(run(f.scratch(),
                     "explain --network " + f / "network.json" + " --input " + f / "x.npy " +
                         f.pair("closed.npy", "y.npy"),
                     as_user),
                 {"closed.npy: open: Permission denied; make it readable"});
}

TEST_F(ExplainErrors, RowsAndBatchSizes) {
  const std::string pair = f.pair("y.npy", "y.npy");
  expect_refused(f.explain("--rows 0-4 " + pair),
                 {"x.npy: --rows: row 4 of a batch of 4; rows count"});
  expect_refused(f.explain("--rows 1-x " + pair),
                 {"--rows: \"1-x\" is no row or run of rows; write"});
  expect_refused(f.explain("--rows '' " + pair), {"--rows: names no row"});
  expect_refused(f.explain("--rows 3,1-2,3 " + pair), {"row 3 is named more than once; name"});
  expect_refused(f.explain("--batch-sizes 10,99999999999999999999 " + pair),
                 {"--batch-sizes: 99999999999999999999 is too large"});
  expect_refused(f.explain("--batch-sizes 0,4 " + pair),
                 {"--batch-sizes: \"0,4\": no batch has 0"});
  expect_refused(f.explain("--batch-sizes 4 " + pair),
                 {"--batch-sizes: \"4\" is no pair", "10,10000"});
  expect_refused(f.explain("--batch-sizes -1,4 " + pair), {"--batch-sizes: \"-1,4\" is no pair"});
}

TEST_F(ExplainErrors, ResultsGivenTwiceOrByHalf) {
  const std::string y = f / "y.npy";
  expect_refused(f.explain(""), {"--a: no results given; give --a and --b, or --difference"});
  expect_refused(f.explain("--a " + y), {"--b: not given; name both results"});
  expect_refused(f.explain("--b " + y), {"--a: not given; name both results"});
  expect_refused(f.explain("--difference " + y + " --a " + y),
                 {"--difference: given beside other"});
  expect_refused(f.explain("--difference-sum 1 " + f.pair("y.npy", "y.npy")),
                 {"--difference-sum: given beside other results; give"});
  for (const char* sum : {"-1", "nan", "inf", "much"})
    expect_refused(f.explain(std::string("--difference-sum ") + sum),
                   {std::string("--difference-sum: \"") + sum + "\" is no sum of magnitudes"});
  expect_refused(f.explain("--jacobian weights " + f.pair("y.npy", "y.npy")),
                 {"--jacobian: \"weights\" is no kind of gradient; write parameters or inputs"});
}

TEST_F(ExplainErrors, NetworksNotGivenOrGivenTwice) {
  const std::string pair = f.pair("y.npy", "y.npy"), x = " --input " + f / "x.npy ";
  const std::string torch = ULPFUZZ_SOURCE_DIR "/corpus/seeds/torch-jacobian-mlp.case.json";
  expect_refused(run(f.scratch(), "explain " + x + pair), {"--network: not given; name"});
  expect_refused(run(f.scratch(), "explain --network " + f / "network.json " + pair),
                 {"--input: not given; name the .npy file"});
  expect_refused(f.explain("--case " + torch + " " + pair), {"--case: given beside --network"});
  expect_refused(run(f.scratch(), "explain --case " + torch + x + pair),
                 {"--input: given beside --case, which brings its inputs; drop one"});
  expect_refused(
      run(f.scratch(), "explain --network " + torch + x + pair),
      {"top level: it is marked \"ulpfuzz_case\"", "name a network, or use it as a case"});
  expect_refused(run(f.scratch(), "explain --network " + f / "x.npy" + x + pair),
                 {"x.npy: read: it is a .npy array, not a network"});
}

TEST_F(ExplainErrors, NetworksThatCannotBe) {
  expect_refused_network(R"({"ulpfuzz_network": 1, "layers": ["linear w9.npy"]})",
                         {"other.json: layers[0]: ", "w9.npy: open: No such file"});
  expect_refused_network(R"({"ulpfuzz_network": 1, "layers": ["linear w.npy", "rleu"]})",
                         {"other.json: layers[1]: unknown op \"rleu\"; write relu"});
  expect_refused_network(
      R"({"ulpfuzz_network": 1, "layers": ["linear w.npy", "linear w.npy"]})",
      {"other.json: layers[1]: linear w.npy wants 3 columns, layers[0] gives 2; write transposed"});
  expect_refused_network(R"({"ulpfuzz_network": 1, "network": {"nodes": [{"op": "input",
                           "shape": [1, 3]}], "outputs": []}, "parameters": []})",
                         {"other.json: the network has 0 outputs; one would fit"});
  expect_refused_network("{\"ulpfuzz_network\": 1,\n", {"other.json: line 2", "not JSON"});
  expect_refused_network("", {"other.json: read: the file is empty; name a network file"});
}

TEST_F(ExplainErrors, MoreThanMemoryAllows) {
  f.text("wide.json", R"({"ulpfuzz_network": 1, "network": {"nodes": [
    {"op": "input", "shape": [1, 4000000]}, {"op": "reshape", "args": [0], "shape": [2000, 2000]},
    {"op": "matmul", "args": [1, 1]}, {"op": "relu", "args": [2]}], "outputs": [3]},
    "parameters": []})");
  f.save("wide.npy", {1, 4'000'000}, std::vector<float>(4'000'000));
  expect_refused(run(f.scratch(), "explain --network " + f / "wide.json" + " --input " +
                                      f / "wide.npy --jacobian inputs --difference-sum 1"),
                 {"wide.npy: 1 rows of 16000000000000 numbers would take about", "GiB"});
}

}  // namespace
}  // namespace ulpfuzz
