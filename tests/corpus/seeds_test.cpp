#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>

#include "support/naive_evaluator.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz {
namespace {

const std::filesystem::path folder = std::filesystem::path(ULPFUZZ_SOURCE_DIR) / "corpus/seeds";

constexpr std::array names = {"jax-vmap-mlp", "torch-jacobian-mlp"};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CaseFile seed(const std::string& name) { return read_case(folder / (name + ".case.json")); }

std::vector<double> forward(const Case& c) {
  return naive::evaluate(c.network, c.parameters, c.batch(), c.inputs)[0];
}

void expect_near(std::span<const double> values, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], tolerance) << "element " << i;
}

TEST(Seeds, AreValidAndSmallerThanOneMebibyte) {
  for (const std::string name : names) {
    EXPECT_NO_THROW(validate(seed(name).value)) << name;
    for (const char* kind : {".case.json", ".network.json"})
      EXPECT_LT(std::filesystem::file_size(folder / (name + kind)), 1u << 20) << name << kind;
  }
}

TEST(Seeds, SurviveBothFormsBitForBit) {
  for (const std::string name : names) {
    const CaseFile file = seed(name);
    const std::string text = to_text(file);
    const CaseFile by_text = case_from_text(text, name, "");
    EXPECT_TRUE(identical(by_text.value, file.value)) << name;
    EXPECT_EQ(by_text.notes, file.notes) << name;
    EXPECT_EQ(to_text(by_text), text) << name;
    const CaseFile by_bytes = case_from_bytes(to_bytes(file), name);
    EXPECT_TRUE(identical(by_bytes.value, file.value)) << name;
    EXPECT_EQ(content_hash(by_bytes.value), content_hash(file.value)) << name;
  }
}

TEST(Seeds, NetworkFilesAreCanonical) {
  for (const std::string name : names) {
    const std::filesystem::path path = folder / (name + ".network.json");
    EXPECT_EQ(to_text(read_network(path)), bytes_of(path)) << name;
  }
}

TEST(Seeds, SayWhereTheyComeFrom) {
  const CaseFile jax = seed("jax-vmap-mlp"), torch = seed("torch-jacobian-mlp");
  EXPECT_EQ(jax.notes.at("property"), "batched_vs_sliced");
  EXPECT_EQ(jax.notes.at("source"), "Stack Overflow question 79726172");
  EXPECT_EQ(torch.notes.at("property"), "loop_vs_vectorized");
  EXPECT_EQ(torch.notes.at("source"), "pytorch/functorch issue 1144");
}

TEST(JaxSeed, IsTheReportedNetworkWithTenOfTenThousandRows) {
  const Case c = seed("jax-vmap-mlp").value;
  EXPECT_EQ(describe(c),
            "linear(2 -> 10)+bias, relu, linear(10 -> 10)+bias, relu, "
            "linear(10 -> 2)+bias; batch 10000; split 10");
  EXPECT_THAT(c.split[0].rows, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(c.inputs[0].row(0), testing::ElementsAre(-1.25747752f, -0.40160441f));
  EXPECT_THAT(c.inputs[0].row(9999), testing::ElementsAre(0.25248462f, -1.07834065f));
  EXPECT_EQ(c.parameters[0].data[0], 0x1.6a8278p-3f);
  EXPECT_EQ(c.cotangents.rows, 0u);
}

TEST(JaxSeed, GivesTheValuesOfNumPyInDoublePrecision) {
  const std::vector<double> y = forward(seed("jax-vmap-mlp").value);
  ASSERT_EQ(y.size(), 20000u);
  expect_near(std::span(y).first(2), {0.24658744, -0.01748604}, 1e-8);
  expect_near(std::span(y).last(2), {0.15407917, 0.0310999}, 1e-8);
}

TEST(TorchSeed, IsTheReportedNetworkOnTwoDigits) {
  const Case c = seed("torch-jacobian-mlp").value;
  EXPECT_EQ(describe(c), "linear(784 -> 20)+bias, relu, linear(20 -> 10)+bias; batch 2; split 1|1");
  const auto pixel = [](int p) { return (static_cast<float>(p) / 255 - 0.5f) / 0.5f; };
  EXPECT_THAT(c.inputs[0].row(0).subspan(151, 4),
              testing::ElementsAre(-1.0f, pixel(3), pixel(18), pixel(18)));
  // The digits are 5 and 0.
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(c.cotangents.data[i], i == 5 || i == 10 ? 1.0f : 0.0f);
  EXPECT_EQ(c.parameters[3].data[9], 0.10377311706542969f);
}

TEST(TorchSeed, GivesTheValuesAndGradientOfTorchInDoublePrecision) {
  const Case c = seed("torch-jacobian-mlp").value;
  const std::vector<double> y = forward(c);
  expect_near(std::span(y).first(3),
              {-0.3673673399396647, -0.19270671816065746, 0.2685115580134867}, 1e-13);
  expect_near(std::span(y).last(2), {-0.09795986483180705, 0.058877872462208714}, 1e-13);
  const Network gradient = vjp(c.network, 1, Reduction::batch_sum);
  const std::vector<Tensor> inputs = {c.inputs[0], c.cotangents};
  const auto blocks = naive::evaluate(gradient, c.parameters, 2, inputs);
  ASSERT_EQ(blocks[2].size(), 20u);
  expect_near(std::span(blocks[2]).first(6),
              {0.005186859052628279, 0.14166078716516495, 0.0, 0.2593197897076607,
               -0.04366784542798996, -0.3351700231432915},
              1e-13);
}

}  // namespace
}  // namespace ulpfuzz
