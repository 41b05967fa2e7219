#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder with w1 [3,2], b1 [3], w2 [1,3], b2 [1], w1t [2,3], row [1,3], cube [1,2,3].
class NetworkWithFiles : public ::testing::Test {
 protected:
  NetworkWithFiles() {
    folder_ = fs::temp_directory_path() / ("ulpfuzz_layers_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    save("w1.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
    save("b1.npy", {3}, {7, 8, 9});
    save("w2.npy", {1, 3}, {1, -1, 1});
    save("b2.npy", {1}, {0.5});
    save("w1t.npy", {2, 3}, {1, 3, 5, 2, 4, 6});
    save("row.npy", {1, 3}, {2, 2, 2});
    save("cube.npy", {1, 2, 3}, {1, 3, 5, 2, 4, 6});
  }
  ~NetworkWithFiles() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void save(const char* name, std::vector<std::size_t> shape, std::vector<float> data) {
    write_npy(folder_ / name, shape, data);
  }
  NetworkFile read(const std::string& text) { return network_from_text(text, "n.json", folder_); }
  NetworkFile layers(const std::string& list, const std::string& more = "") {
    return read(R"({"ulpfuzz_network": 1, "layers": [)" + list + "]" + more + "}");
  }
  template <class F>
  static std::string error_of(F what) {
    try {
      what();
    } catch (const FileError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string layers_error(const std::string& list, const std::string& more = "") {
    return error_of([&] { layers(list, more); });
  }

  fs::path folder_;
};

TEST_F(NetworkWithFiles, ListsLayersInsteadOfNodes) {
  const NetworkFile file = layers(R"("linear w1.npy b1.npy", "relu", "linear w2.npy b2.npy")");
  EXPECT_EQ(describe(file.network), "linear(2 -> 3)+bias, relu, linear(3 -> 1)+bias");
  ASSERT_EQ(file.parameters.size(), 4);
  EXPECT_TRUE(identical(file.parameters[0], Tensor(3, 2, {1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(identical(file.parameters[1], Tensor(1, 3, {7, 8, 9})));
}

TEST_F(NetworkWithFiles, IsWrittenInlineAndReadsBackTheSame) {
  const NetworkFile file = layers(R"("linear w1.npy b1.npy", "relu", "linear w2.npy b2.npy")");
  const NetworkFile back = network_from_text(to_text(file), "back.json");
  EXPECT_EQ(back.network, file.network);
  ASSERT_EQ(back.parameters.size(), 4);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(identical(back.parameters[i], file.parameters[i])) << i;
}

TEST_F(NetworkWithFiles, KnowsEveryOpOfOneOperand) {
  const NetworkFile file = layers(
      R"("linear w1.npy", "layer_norm 1e-3", "mul row.npy", "add row.npy", "leaky_relu 0.25", "elu",
         "tanh", "sigmoid", "silu", "gelu_erf", "gelu_tanh", "softplus", "rms_norm", "reshape 3 1",
         "reshape 1 3", "softmax")");
  const auto& nodes = file.network.nodes();
  EXPECT_EQ(nodes.back().op, Op::softmax);
  EXPECT_EQ(nodes[3].alpha, 1e-3f);
  const auto alpha_of = [&](Op op) { return std::ranges::find(nodes, op, &Node::op)->alpha; };
  EXPECT_EQ(alpha_of(Op::leaky_relu), 0.25f);
  EXPECT_EQ(alpha_of(Op::elu), 1.0f);
  EXPECT_EQ(alpha_of(Op::rms_norm), 1e-5f);
}

TEST_F(NetworkWithFiles, TakesWeightsKeptTheOtherWayRound) {
  const NetworkFile file = layers(R"("linear w1t.npy b1.npy transposed")");
  EXPECT_TRUE(identical(file.parameters[0], Tensor(3, 2, {1, 2, 3, 4, 5, 6})));
}

TEST_F(NetworkWithFiles, InfersTheInputOrTakesIt) {
  EXPECT_EQ(layers(R"("softmax", "relu", "linear w1.npy")").network.nodes()[0].shape,
            (Shape{1, 2}));
  EXPECT_EQ(layers(R"("relu")", R"(, "input": [2, 5])").network.nodes()[0].shape, (Shape{2, 5}));
  EXPECT_EQ(layers_error(R"("relu")"),
            "n.json: top level: no layer tells how wide the input is; add \"input\": [1, COLUMNS]");
  EXPECT_THAT(layers_error(R"("linear w1.npy")", R"(, "input": [1, 9])"),
              HasSubstr("layers[0]: linear w1.npy wants 2 columns, the input has 9"));
}

TEST_F(NetworkWithFiles, NamesTheLayersThatDoNotFitAndTheFix) {
  EXPECT_EQ(
      layers_error(R"("linear w2.npy", "relu", "linear w1.npy")"),
      "n.json: layers[2]: linear w1.npy wants 2 columns, layers[1] gives 1; name the file that "
      "fits, or save it as [outputs, inputs]");
  EXPECT_EQ(layers_error(R"("linear w1.npy", "linear w2.npy transposed")"),
            "n.json: layers[1]: linear w2.npy wants 1 columns, layers[0] gives 3; drop transposed: "
            "it is kept as [outputs, inputs]");
  EXPECT_EQ(
      layers_error(R"("linear w1t.npy b1.npy")", R"(, "input": [1, 2])"),
      "n.json: layers[0]: linear w1t.npy wants 3 columns, the input has 2; write transposed at "
      "its end if it is kept as [inputs, outputs]");
  EXPECT_THAT(layers_error(R"("linear w1.npy b2.npy")"),
              HasSubstr("layers[0]: bias b2.npy is 1 x 1, where w1.npy gives 3 columns"));
}

TEST_F(NetworkWithFiles, NamesUnknownOpsAndTheNearestOne) {
  const std::pair<const char*, const char*> words[] = {
      {"rleu", "write relu"},        {"LeakyReLU", "write leaky_relu"}, {"Linear", "write linear"},
      {"gelu", "gelu_tanh (JAX's"},  {"swish", "write silu"},           {"dense", "write linear"},
      {"soft_max", "write softmax"}, {"conv2d", "`ulpfuzz list ops`"}};
  for (const auto& [word, remedy] : words)
    EXPECT_THAT(layers_error('"' + std::string(word) + '"'),
                testing::AllOf(HasSubstr("layers[0]: unknown op"), HasSubstr(remedy)));
  EXPECT_THAT(layers_error(R"("concat")"), HasSubstr("concat is no layer of one value; write"));
}

TEST_F(NetworkWithFiles, RefusesLayersThatSayTooMuchOrTooLittle) {
  EXPECT_THAT(layers_error(""), HasSubstr("layers: no layers, so the network has no output"));
  EXPECT_THAT(layers_error(R"("")"), HasSubstr("layers[0]: names no op"));
  EXPECT_THAT(layers_error(R"("linear")"), HasSubstr("write \"linear WEIGHT.npy BIAS.npy\""));
  EXPECT_THAT(layers_error(R"("linear w1.npy b1.npy b1.npy")"), HasSubstr("linear with 3 files"));
  EXPECT_THAT(layers_error(R"("relu 0.1")"), HasSubstr("relu with \"0.1\"; drop it"));
  EXPECT_THAT(layers_error(R"("elu x")"), HasSubstr("\"x\" is no float"));
  EXPECT_THAT(layers_error(R"("reshape 2")"), HasSubstr("write \"reshape ROWS COLUMNS\""));
  EXPECT_THAT(layers_error(R"("reshape -2 1")"), HasSubstr("no number of rows"));
  EXPECT_THAT(layers_error(R"("relu")", R"(, "network": {})"), HasSubstr("unknown field"));
  EXPECT_THAT(error_of([&] { read(R"({"ulpfuzz_network": 1})"); }), HasSubstr("nor \"layers\""));
}

TEST_F(NetworkWithFiles, NamesTheLayerWhoseFileIsMissingOrNoMatrix) {
  EXPECT_EQ(layers_error(R"("linear w9.npy")"),
            "n.json: layers[0]: " + (folder_ / "w9.npy").string() +
                ": open: No such file or directory; name a file that exists");
  EXPECT_THAT(layers_error(R"("linear cube.npy")"),
              HasSubstr("shape: (1, 2, 3) has 3 axes; save a matrix, or a vector"));
  std::ofstream(folder_ / "text.npy") << "1 2 3";
  EXPECT_THAT(layers_error(R"("linear text.npy")"), HasSubstr("text.npy: begin: it is text"));
  for (const char* outside : {"../w1.npy", "/etc/passwd", "a/../../w1.npy"})
    EXPECT_THAT(layers_error('"' + std::string("linear ") + outside + '"'),
                HasSubstr("layers[0]: not the name of a file beside this one"));
}

TEST_F(NetworkWithFiles, TakesParametersOfNodesFromFiles) {
  const std::string nodes = R"("network": {"nodes": [{"op": "input", "shape": [1, 2]},
    {"op": "parameter", "shape": [3, 2]}, {"op": "parameter", "shape": [1, 3]},
    {"op": "linear", "args": [0, 1, 2]}], "outputs": [3]})";
  const NetworkFile file = read(R"({"ulpfuzz_network": 1, )" + nodes +
                                R"(, "parameters": [{"npy": "w1.npy"}, {"npy": "b1.npy"}]})");
  EXPECT_TRUE(identical(file.parameters[1], Tensor(1, 3, {7, 8, 9})));
  EXPECT_EQ(error_of([&] {
              read(R"({"ulpfuzz_network": 1, )" + nodes +
                   R"(, "parameters": [{"npy": "w2.npy"}, {"npy": "b1.npy"}]})");
            }),
            "n.json: parameters: parameter 0 is 1 x 3, its node 3 x 2; make them agree");
  EXPECT_THAT(error_of([&] {
                read(R"({"ulpfuzz_network": 1, )" + nodes +
                     R"(, "parameters": [{"npy": "w1.npy", "rows": 3}, {"npy": "b1.npy"}]})");
              }),
              HasSubstr("parameters[0]: unknown field \"rows\""));
}

TEST_F(NetworkWithFiles, StandInCasesToo) {
  const CaseFile file = case_from_text(R"({"ulpfuzz_case": 1,
    "network": {"layers": ["linear w1.npy b1.npy"]}, "inputs": [{"npy": "w1.npy"}]})",
                                       "c.case.json", folder_);
  EXPECT_EQ(file.value.batch(), 3);
  EXPECT_EQ(file.value.parameters.size(), 2);
  EXPECT_THAT(error_of([&] {
                case_from_text(R"({"ulpfuzz_case": 1, "network": {"layers": ["relu"]},
                  "parameters": [], "inputs": []})",
                               "c.case.json", folder_);
              }),
              HasSubstr("parameters: given though the layers name their files; drop them"));
}

TEST_F(NetworkWithFiles, AreRefusedUnreadWhereTheyAreLargerThanAnyCase) {
  std::ofstream(folder_ / "big.npy").seekp(std::streamoff{1} << 40).put('\0');  // sparse
  EXPECT_THAT(layers_error(R"("linear big.npy")"),
              HasSubstr("layers[0]: with big.npy more than 1073741824 bytes of .npy files"));
}

TEST_F(NetworkWithFiles, NamesMayHaveSpacesBetweenApostrophes) {
  save("my w1.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
  const NetworkFile file = layers(R"("linear 'my w1.npy' b1.npy")");
  EXPECT_THAT(file.parameters[0].data, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(file.sources, ElementsAre("my w1.npy", "b1.npy"));
  EXPECT_THAT(layers_error(R"("linear 'my w1.npy b1.npy")"), HasSubstr("without its second '"));
}

}  // namespace
}  // namespace ulpfuzz
