#include "ulpfuzz/network/case_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "random_case.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz {
namespace {

using random_cases::any_case_file;
using random_cases::Random;

constexpr const char* small_text = R"({
  "ulpfuzz_case": 1,
  "notes": {
    "comment": "a tab\t, a \"quote\"",
    "property": "batched_vs_sliced"
  },
  "network": {
    "nodes": [
      {"id": 0, "op": "input", "shape": [1, 2]},
      {"id": 1, "op": "parameter", "shape": [1, 2]},
      {"id": 2, "op": "linear", "args": [0, 1]},
      {"id": 3, "op": "elu", "args": [2], "alpha": "0x1p-1"}
    ],
    "outputs": [3]
  },
  "parameters": [
    {"rows": 1, "cols": 2, "data": [
      "0x1.8p+0 -0x0p+0"
    ]}
  ],
  "inputs": [
    {"rows": 6, "cols": 2, "data": [
      "0x1p+0 0x0p+0",
      "nan:7fc00001 inf",
      "0x1p-149 -inf",
      "0x0p+0 0x0p+0",
      "0x0p+0 0x0p+0",
      "0x0p+0 0x0p+0"
    ]}
  ],
  "cotangents": {"rows": 0, "cols": 0, "data": []},
  "split": [
    {"rows": "0-2,4,5", "padding": 0},
    {"rows": "", "padding": 3},
    {"rows": "3,2,1,1,1-3,0", "padding": 0}
  ],
  "layout": {"batch_offset": 1, "slice_offset": 15}
}
)";

CaseFile read(std::string_view text) { return case_from_text(text, "small.case.json", "."); }

TEST(CaseText, IsReadableAndStable) {
  const CaseFile file = read(small_text);
  const Case& c = file.value;
  EXPECT_EQ(describe(c.network), describe(read(to_text(file)).value.network));
  EXPECT_EQ(c.network.node(3).alpha, 0.5f);
  EXPECT_EQ(c.parameters[0].data[0], 1.5f);
  EXPECT_EQ(c.batch(), 6u);
  EXPECT_EQ(c.inputs[0].row(2)[0], 0x1p-149f);
  EXPECT_EQ(c.split,
            (std::vector<Slice>{{{0, 1, 2, 4, 5}, 0}, {{}, 3}, {{3, 2, 1, 1, 1, 2, 3, 0}, 0}}));
  EXPECT_EQ(c.layout, (Layout{1, 15}));
  EXPECT_EQ(file.notes.at("comment"), "a tab\t, a \"quote\"");
  EXPECT_EQ(to_text(file), small_text);
}

TEST(CaseText, TakesAnyLayoutAndDefaults) {
  const CaseFile file = read(R"({"inputs":[{"cols":1,"rows":1,"data":["0.25"]}], "parameters":[],
      "network":{"outputs":[1],"nodes":[{"op":"input","shape":[1,1]},
      {"args":[0],"op":"leaky_relu"}]},"ulpfuzz_case":1})");
  EXPECT_EQ(file.value.network.node(1).alpha, 0.01f);
  EXPECT_EQ(file.value.inputs[0].data[0], 0.25f);
  EXPECT_TRUE(file.value.split.empty());
  EXPECT_EQ(to_text(read(to_text(file))), to_text(file));
}

TEST(CaseText, IsAsTheDocumentationShowsIt) {
  std::ostringstream page;
  page << std::ifstream(ULPFUZZ_SOURCE_DIR "/docs/case-file.md").rdbuf();
  const std::string text = page.str();
  const std::string begin = "```json\n";
  const auto start = text.find(begin);
  ASSERT_NE(start, std::string::npos);
  const std::string example =
      text.substr(start + begin.size(), text.find("```\n", start + 1) - start - begin.size());
  EXPECT_EQ(to_text(read(example)), example);
}

TEST(CaseFileRoundTrip, KeepsEveryBitInTextAndBinary) {
  Random random(11);
  for (int i = 0; i < 600; ++i) {
    const CaseFile file = any_case_file(random);
    const std::string text = to_text(file);
    const auto bytes = to_bytes(file);
    const CaseFile from_text = read(text);
    const CaseFile from_bytes = case_from_bytes(bytes, "small.case");
    ASSERT_TRUE(identical(from_text.value, file.value)) << text;
    ASSERT_TRUE(identical(from_bytes.value, file.value)) << text;
    ASSERT_EQ(from_text.notes, file.notes);
    ASSERT_EQ(from_bytes.notes, file.notes);
    ASSERT_EQ(to_text(from_text), text);
    ASSERT_EQ(to_bytes(from_bytes), bytes);
    ASSERT_EQ(to_bytes(from_text), bytes);
  }
}

TEST(CaseFileRoundTrip, CoversTheEdges) {
  Random random(12);
  const Network& empty_batch = random_cases::networks().front().network;
  const CaseFile files[] = {
      {random_cases::case_of(random, empty_batch, 0), {}},
      {random_cases::case_of(random, random_cases::without_width(), 3), {}},
      {random_cases::case_of(random, random_cases::without_width(), 0), {{"", ""}}}};
  for (const CaseFile& file : files) {
    EXPECT_TRUE(identical(read(to_text(file)).value, file.value)) << to_text(file);
    EXPECT_TRUE(identical(case_from_bytes(to_bytes(file), "x").value, file.value));
  }
}

TEST(NetworkText, KeepsEveryOpOfDerivatives) {
  Random random(13);
  std::set<Op> ops;
  for (const auto& example : random_cases::networks()) {
    std::vector<Network> networks{vjp(example.network, 3), jvp(example.network, 0),
                                  vjp(example.network, 1, Reduction::batch_sum)};
    for (std::size_t p = 0; p < example.network.parameters().size(); ++p)
      networks.push_back(jvp(example.network, example.network.inputs().size() + p));
    for (const Network& network : networks) {
      const NetworkFile file{network, random_cases::parameters_of(random, network)};
      const NetworkFile back = network_from_text(to_text(file), "x.network.json");
      ASSERT_EQ(back.network, network) << example.name << '\n' << to_text(file);
      ASSERT_EQ(to_text(back), to_text(file));
      for (const Node& node : network.nodes()) ops.insert(node.op);
    }
  }
  EXPECT_TRUE(ops.contains(Op::unit_tangents) && ops.contains(Op::basis) && ops.contains(Op::pad));
  EXPECT_TRUE(ops.contains(Op::outer_sum) && ops.contains(Op::slice));
}

TEST(CaseText, WritesNotesThatAreNotUtf8WithReplacements) {
  CaseFile file = read(small_text);
  file.notes = {{"comment", "bad \xff byte"}};
  const std::map<std::string, std::string> mended{{"comment", "bad \xef\xbf\xbd byte"}};
  EXPECT_EQ(read(to_text(file)).notes, mended);
  EXPECT_EQ(case_from_bytes(to_bytes(file), "x").notes, mended);
}

TEST(ContentHash, IgnoresNotesAndNothingElse) {
  CaseFile file = read(small_text);
  const std::string hash = content_hash(file.value);
  EXPECT_THAT(hash, testing::MatchesRegex("[0-9a-f]{16}"));
  file.notes.clear();
  EXPECT_EQ(content_hash(read(to_text(file)).value), hash);

  const auto changed = [&](auto change) {
    Case c = file.value;
    change(c);
    return content_hash(c) != hash;
  };
  EXPECT_TRUE(changed([](Case& c) { c.inputs[0].data[1] = -0.0f; }));
  EXPECT_TRUE(changed([](Case& c) { c.parameters[0].data[1] = 0.0f; }));
  EXPECT_TRUE(changed([](Case& c) { c.split[0].padding = 1; }));
  EXPECT_TRUE(changed([](Case& c) { c.layout.slice_offset = 0; }));
  EXPECT_TRUE(changed([](Case& c) { c.cotangents = Tensor(6, 1); }));
}

TEST(ContentHash, IsTheSameInEveryBuild) {
  EXPECT_EQ(content_hash(read(small_text).value), "6b0638a0a7063fb9");
}

}  // namespace
}  // namespace ulpfuzz
