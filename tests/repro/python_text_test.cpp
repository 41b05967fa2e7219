#include <gmock/gmock.h>

#include "python/arrays.hpp"
#include "python/body.hpp"
#include "python/spellers.hpp"

namespace ulpfuzz::repro {
namespace {

using testing::ElementsAre;

TEST(PythonNumber, IsADecimalWhereThatIsExactAndShort) {
  EXPECT_EQ(python_number(1), "1.0");
  EXPECT_EQ(python_number(-0.375), "-0.375");
  EXPECT_EQ(python_number(-0.0), "-0.0");
  EXPECT_EQ(python_number(double{0.1f}), "h(\"0x1.99999ap-4\")");
  EXPECT_EQ(python_number(std::numeric_limits<double>::infinity()), "h(\"inf\")");
}

TEST(PythonArray, SaysConstantsAndExceptionsAsSuch) {
  EXPECT_THAT(python_array("x", {9, 2}, std::vector<float>(18, 0.0f), Arrays::torch),
              ElementsAre("x = torch.zeros((9, 2))"));
  EXPECT_THAT(python_array("x", {9, 2}, std::vector<float>(18, 2.0f), Arrays::numpy),
              ElementsAre("x = np.full((9, 2), 2.0, np.float32)"));
  std::vector<float> one(18, 0.0f);
  one[15] = 0.1f;
  EXPECT_THAT(python_array("x", {9, 2}, one, Arrays::torch),
              ElementsAre("x = torch.zeros((9, 2))", "x[7, 1] = h(\"0x1.99999ap-4\")"));
}

TEST(PythonArray, SaysExceptionsOfOneValueOnce) {
  std::vector<float> some(32, 0.0f);
  some[5] = some[9] = 1;
  some[13] = -1;
  EXPECT_THAT(
      python_array("x", {2, 16}, some, Arrays::numpy),
      ElementsAre("x = np.zeros((2, 16), np.float32)", "x[0, [5, 9]] = 1.0", "x[0, 13] = -1.0"));
  some[13] = 0;
  some[21] = 1;
  EXPECT_THAT(python_array("x", {2, 16}, some, Arrays::numpy).back(),
              "x[[0, 0, 1], [5, 9, 5]] = 1.0");
}

TEST(PythonArray, SaysEqualRowsOnce) {
  const std::vector<float> data{1, 2, 3, 1, 2, 3};
  EXPECT_THAT(python_array("W", {2, 3}, data, Arrays::torch),
              ElementsAre("W = torch.tensor([[1.0, 2.0, 3.0]]).repeat(2, 1)"));
  EXPECT_THAT(python_array("W", {2, 3}, data, Arrays::numpy),
              ElementsAre("W = np.tile(np.array([[1.0, 2.0, 3.0]], np.float32), (2, 1))"));
}

TEST(PythonArray, OfNoElementsKeepsItsShape) {
  EXPECT_THAT(python_array("W", {0, 3}, {}, Arrays::torch), ElementsAre("W = torch.zeros((0, 3))"));
}

TEST(PythonWrapped, BreaksBehindCommasInBracketsAlone) {
  const std::string n(40, 'n');
  const std::string text = "\"a, bbbbbbbbbbbb\"";
  EXPECT_EQ(python_wrapped(n + ", x = f(" + n + ", " + text + ")"),
            n + ", x = f(" + n + ",\n    " + text + ")");
  EXPECT_EQ(python_wrapped(n + ", " + n + " = f(" + n + ")"), n + ", " + n + " = f(" + n + ")");
}

TEST(PythonBody, NamesWhatIsUsedTwiceAndWhatGetsTooLong) {
  Network n;
  const NodeId x = n.input(2);
  const NodeId h = n.activation(Op::tanh, n.linear(x, n.parameter(2, 2)));
  n.output(n.add(n.activation(Op::relu, h), h));
  std::set<std::string> helpers;
  const Lines body = python_body(n, python_layout(n), n.outputs()[0], spell_torch, helpers);
  EXPECT_THAT(body,
              ElementsAre("    z1 = torch.tanh(F.linear(x, W))", "    return torch.relu(z1) + z1"));
}

TEST(PythonLayout, NamesParametersByTheirUse) {
  Network n;
  const NodeId x = n.input(2);
  const NodeId w = n.parameter(2, 2);
  const NodeId h = n.linear(x, w, n.parameter(1, 2));
  const NodeId y = n.linear(h, n.parameter(2, 2));
  n.output(n.mul(y, n.parameter(1, 2)));
  const PythonLayout layout = python_layout(n);
  EXPECT_THAT(layout.parameters, ElementsAre("W0", "bias", "W1", "P"));
  EXPECT_THAT(layout.is_vector, ElementsAre(false, true, false, true));
  EXPECT_FALSE(layout.matrices);
}

}  // namespace
}  // namespace ulpfuzz::repro
